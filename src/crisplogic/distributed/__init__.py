"""Several processes, on one machine or many, that learn together by ``torch.distributed``."""

from crisplogic.distributed.environment import in_group, open_group
from crisplogic.distributed.torch_group import TorchGroup

__all__ = ["TorchGroup", "in_group", "open_group"]
