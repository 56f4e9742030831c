"""Several processes, on one machine or many, that learn together by ``torch.distributed``."""

from crisplogic.distributed.environment import in_group, open_group
from crisplogic.distributed.training import train

__all__ = ["in_group", "open_group", "train"]
