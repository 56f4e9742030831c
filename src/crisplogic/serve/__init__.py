"""A scoring service: predictions and explanations of one rule set, over HTTP.

``crisplogic serve`` starts it. It needs the extra ``serve`` beside numpy, and neither torch nor
scikit-learn. Only ``app``, ``server`` and ``heads`` import a framework.
"""

from crisplogic.serve.limits import Limits, RequestError

__all__ = ["Limits", "RequestError"]
