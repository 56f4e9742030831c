"""``crisplogic fit``: from a table in a file to rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crisplogic.cli.app import app
from crisplogic.cli.options import (
    ColumnOptions,
    Command,
    DepthOption,
    ForceOption,
    JsonOption,
    LearningOptions,
    QuietOption,
    StreamOptions,
    TablesArgument,
    TextOptions,
    expand_groups,
)
from crisplogic.cli.output import check_can_write, print_json, result_text


@app.command(cls=Command)
@expand_groups
def fit(
    *,
    table: TablesArgument,
    columns: ColumnOptions,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Write the model to a file (rules.json) or a folder (model/)."
        ),
    ] = None,
    force: ForceOption = False,
    learning: LearningOptions,
    stream: StreamOptions,
    compare_literals: Annotated[
        bool,
        typer.Option(
            "--compare-literals",
            help="Fit a second time, with the other --literals, to compare the errors.",
        ),
    ] = False,
    stability: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Search crisp rules on N resamples of the rows, and say how often each "
            "statement comes back.",
        ),
    ] = None,
    stability_seconds: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="S", help="Begin no further resample after so many seconds."
        ),
    ] = None,
    depth: DepthOption = "auto",
    width: Annotated[
        int, typer.Option(min=1, metavar="N", help="Expressions between two levels.")
    ] = 8,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw error against size (PNG, SVG or PDF)."),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the training in this file, to resume after a kill. Removed at the end.",
        ),
    ] = None,
    text: TextOptions,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", help="Print also how rounding the network changed it."),
    ] = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Learn rules from a table.

    Columns hold numbers, text (categories), or true and false. An empty cell is a missing
    value. The target holds classes or numbers. With --out model/, the folder gets the rules
    (rules.json), the rules of all sizes (frontier.json) and the report (report.txt).

    Several files, folders and large files are read in batches: memory does not grow with their
    rows. Rules are then learned from a sample and measured on all rows.

    \b
    Examples:
      crisplogic fit patients.csv --target diagnosis --out model/
      crisplogic fit patients.csv --target diagnosis --drop id --max-literals 12
      crisplogic fit patients.csv --target ill --balanced --up age --forbid-pair age sex
      crisplogic fit patients.csv --target ill --compare-literals --stability 20
      crisplogic fit houses.parquet --target price --up rooms --out rules.json --json
      crisplogic fit 'sales/*.parquet' --target returned --out model/ --workers 4
    """
    from crisplogic.cli.model import check_can_save, rules_summary, save
    from crisplogic.cli.remarks import remarks_on
    from crisplogic.cli.streamed import (
        fit_sampled,
        is_streamed,
        read_sampled_table,
    )
    from crisplogic.cli.tables import read_training_table, table_files
    from crisplogic.cli.training import check_stability, fit_table, make_estimator, resample
    from crisplogic.cli.workers import has_to_start, own_group, start_workers
    from crisplogic.rules.serialize_frontier import finite, frontier_entries

    check_stability(stability, stability_seconds, learning)
    if has_to_start(stream):
        raise typer.Exit(start_workers(table, stream.workers, checkpoint))
    sampled, inputs = None, table_files(table)
    with own_group() as group:
        quiet_here = quiet or json or group.rank > 0
        if is_streamed(table, stream, group):
            sampled = read_sampled_table(table, columns, text.layout, stream, quiet_here, group)
            data = sampled.data
        else:
            data = read_training_table(table[0], columns, text.layout, quiet_here)
        if out is not None and group.rank == 0:
            check_can_save(out, *inputs, origin=data.origin, force=force)
        if plot is not None:
            from crisplogic.plot import check_can_draw, save_frontier

            check_can_write(plot, *inputs)
            check_can_draw(plot)

        more = {"compare_literals": compare_literals, "depth": depth, "width": width}
        estimator = make_estimator(data, learning, quiet_here, **more)
        if sampled is None:
            result = fit_table(estimator, data, checkpoint)
        else:
            result = fit_sampled(estimator, sampled, checkpoint, quiet_here, group)
        if group.rank > 0:  # the first process writes and prints
            return
    if stability is not None:
        result = resample(result, estimator, data, stability, stability_seconds)
    if out is not None:
        save(out, result)  # before anything is printed: printing may fail
    if plot is not None:
        save_frontier(plot, result.frontier, result.rules.size)
    if json:
        sizes = frontier_entries(result.frontier, with_rules=False)
        rows = len(data.columns) if result.all_rows is None else result.all_rows.rows
        summary = {"rows": rows, **rules_summary(result.rules), "sizes": sizes}
        remarks = [each.to_dict() for each in remarks_on(data, learning)]
        summary |= {
            "task": data.task.value,
            "baseline": finite(result.frontier.baseline),
            "expected_error": finite(result.expected_error),
            "held_out_errors": result.errors.to_dict(),
            "training_rows": result.performance.to_dict(),
        }
        if result.all_rows is not None:
            summary["all_rows"] = result.all_rows.to_dict()
        if result.stability is not None:
            summary["stability"] = result.stability.to_dict()
        print_json({**summary, "out": out, "left_out": data.left_out, "remarks": remarks})
        return
    quietly = quiet and result.rules.describe(notes=False)
    typer.echo(quietly or result_text(result, verbose=verbose))
    if out is not None and not quiet:
        typer.echo(f"\nwrote the rules to {out}")
    if plot is not None and not quiet:
        typer.echo(f"\ndrew error against size in {plot}")
