"""Tables in files that are larger than memory: read in batches, by one reader or several."""

from crisplogic.streaming.batches import Batch, join_batches, shuffled_batches
from crisplogic.streaming.prefetch import in_threads
from crisplogic.streaming.random_numbers import fold_numbers, random_bits, uniform
from crisplogic.streaming.rows import Examples, Rows, join_examples
from crisplogic.streaming.sample import PrioritySample, sample_of
from crisplogic.streaming.shards import Shard, list_files, part_of, shuffle_shards
from crisplogic.streaming.statistics import TableStatistics, is_identifier
from crisplogic.streaming.table import StreamedTable, describe_table

__all__ = [
    "Batch",
    "Examples",
    "PrioritySample",
    "Rows",
    "Shard",
    "StreamedTable",
    "TableStatistics",
    "describe_table",
    "fold_numbers",
    "in_threads",
    "is_identifier",
    "join_batches",
    "join_examples",
    "list_files",
    "part_of",
    "random_bits",
    "sample_of",
    "shuffle_shards",
    "shuffled_batches",
    "uniform",
]
