"""FittedEstimator: what both estimators offer once they have learned."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from crisplogic.errors import ExportError
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.estimators.network_program import network_program
from crisplogic.estimators.params import CONSTRAINTS, Parameters
from crisplogic.estimators.reading import read_for_network, read_for_rules
from crisplogic.estimators.saving import read_estimator, save_estimator
from crisplogic.export import About
from crisplogic.export.onnx_network import write_onnx_network
from crisplogic.export.program import Amount, Greatest
from crisplogic.nn import LogicNetwork
from crisplogic.parameters import COUNT_OR_ZERO, Constraint
from crisplogic.rules import AllRows, Frontier, HeldOutErrors, RuleSet, Stability
from crisplogic.training import Epoch, score_rows

if TYPE_CHECKING:
    from crisplogic.report import Page

Floats = NDArray[np.float64]


class FittedEstimator(Parameters, BaseEstimator):
    """Rules and a network that were learned: they predict, and go to files and pages."""

    # Fitted attributes, for readers and type checkers.
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    rules_: RuleSet
    frontier_: Frontier
    expected_error_: float
    network_: LogicNetwork
    history_: list[Epoch]
    encoder_: FeatureEncoder
    stability_: Stability  # once it was measured
    all_rows_: AllRows  # of a table in files, larger than the sample

    _constraints: ClassVar[Mapping[str, Constraint]] = CONSTRAINTS

    def rules_at(self, size: int) -> RuleSet:
        """The best rules found with at most ``size`` literals in all."""
        check_is_fitted(self)
        COUNT_OR_ZERO.check("size", size)
        return self.frontier_.at(size).rules

    @property
    def held_out_errors_(self) -> HeldOutErrors:
        """The errors of network, crisp and graded rules on held-out rows, as far as known.

        Those of rules are corrected for the choice of their size, as ``expected_error_`` is.
        """
        check_is_fitted(self)
        own, other = self.expected_error_, self.frontier_.other_rules_error
        crisp, graded = (own, other) if self.rules_.crisp else (other, own)
        predicts = self.rules_.predicts
        return HeldOutErrors(self.frontier_.network_error, crisp, graded, predicts)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file, completely or not at all.

        The file holds arrays and JSON, all parameters and all that was learned. To share rules,
        ``rules_.save`` writes a smaller file, which other versions and programs can read.
        """
        save_estimator(self, path)

    def export(
        self, to: str, *, network: bool = False, about: Any = None, **options: Any
    ) -> str | bytes:
        """Write the rules for another program, such as ``"sql"``, ``"c"`` or ``"onnx"``.

        See :func:`crisplogic.export.export` for targets and their options. With ``network``
        the soft network is written instead, for ``"onnx"`` alone: raw columns in, label and
        probabilities out, which agree with those of the network to 1e-5.
        """
        check_is_fitted(self)
        if about is None:
            about = {"rows": self.frontier_.rows, "error": self.expected_error_}
        if not network:
            return self.rules_.export(to, about=about, **options)
        if to != "onnx" or options:
            given = [f"to {to!r}", *(f"with {name}" for name in options)]
            raise ExportError(
                f"a network is exported to 'onnx', without options; got {' '.join(given)}"
            )
        program = network_program(self.network_, self.encoder_, *self._network_outcome())
        return write_onnx_network(program, About.read(about))

    def report(
        self,
        X: Any,
        y: Any = None,
        path: str | PathLike[str] | None = None,
        *,
        sample_weight: Any = None,
        title: str | None = None,
        shown_rows: int = 200,
    ) -> Page | None:
        """Write what was learned as one HTML page, with a place to try the rules.

        The figures are of the rows of ``X``, best of rows that were not learned from; what
        held-out rows said in the fit is there as well. ``y`` are the true classes or numbers,
        if known. At most so many ``shown_rows`` stand in the page, to be looked at.
        Shape: ``X`` (rows, features), ``y`` (rows,).

        Without a ``path`` the text of the page is returned, which notebooks show as it is. The
        page needs no network. Needs ``pip install 'crisplogic[report]'``.
        """
        from crisplogic.report import check_can_report, render, summarize, write_report

        check_is_fitted(self)
        check_can_report()
        summary = summarize(
            self.rules_,
            X,
            y,
            sample_weight,
            frontier=self.frontier_,
            compared=self.held_out_errors_,
            expected_error=self.expected_error_,
            title=title,
            shown_rows=shown_rows,
        )
        if path is None:
            return render(summary)
        write_report(summary, path)
        return None

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read an estimator from a file that :meth:`save` wrote. Nothing in it is executed.

        It predicts bit for bit as before. A file that is damaged, was changed or comes from
        another version of the format is an
        :class:`~crisplogic.errors.EstimatorFileError`.
        """
        return read_estimator(path, [cls])

    def _scores(self, X: Any) -> Floats:
        """The scores of rules or network. Shape: (rows, features) to (rows, outputs)."""
        check_is_fitted(self)
        self._constraints["predict_with"].check("predict_with", self.predict_with)
        if self.predict_with == "network":
            return self._network_scores(self.encoder_.transform(read_for_network(self, X)))
        return self.rules_.scores(*read_for_rules(self, X))

    def _network_scores(self, table: Floats) -> Floats:
        scores: Floats = score_rows(self.network_, table).to(torch.float64).numpy()
        return scores

    @abstractmethod
    def _network_outcome(self) -> tuple[Greatest | Amount, float, Floats]:
        """What the network predicts by its scores times a factor plus offsets: (outputs,)."""

    def _network_scale(self) -> float:
        return self.network_.log_scale.exp().item()

    # In notebooks: what scikit-learn shows, and the rules below it.

    def _repr_html_inner(self) -> str:
        shown: str = super()._repr_html_inner()
        return shown + (self.rules_._repr_html_() if hasattr(self, "rules_") else "")

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if hasattr(self, "rules_"):
            if "text/html" in bundle:
                bundle["text/html"] += self.rules_._repr_html_()
            bundle["text/latex"] = self.rules_._repr_latex_()
        return bundle
