"""Runs exported programs: Python, numpy, C and JavaScript."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from crisplogic.errors import ExportError
from crisplogic.export.c import field_names
from crisplogic.export.from_rules import make_program
from crisplogic.export.program import Amount
from crisplogic.export.running.rows import Answers, Floats, RawRows
from crisplogic.export.targets import export
from crisplogic.rules import RuleSet

# A program that takes longer is stopped.
MOST_SECONDS = 600


def run_python(rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
    """Execute the Python module, row by row."""
    module: dict[str, Any] = {}
    exec(export(rules, "python", **options), module)
    predictions = [module["predict"](row) for row in rows.records()]
    if "probabilities" not in module:
        return Answers(predictions)
    chances = [[*module["probabilities"](row).values()] for row in rows.records()]
    return Answers(predictions, _table(chances, rules))


def _table(chances: Sequence[Sequence[float]], rules: RuleSet) -> Floats:
    """The probabilities of some rows, or of none. Shape: returns (rows, classes)."""
    return np.array(chances, dtype=np.float64).reshape(len(chances), len(rules.labels))


def run_numpy(rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
    """Execute the numpy module, all rows at once."""
    module: dict[str, Any] = {}
    exec(export(rules, "numpy", **options), module)
    columns = rows.columns or {"": np.zeros(len(rows))}
    predictions = module["predict"](columns).tolist()
    if "probabilities" not in module:
        return Answers(predictions)
    return Answers(predictions, module["probabilities"](columns))


def run_javascript(rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
    """Run the module under node."""
    node = find_program("node")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        module = export(rules, "javascript", **options)
        assert isinstance(module, str)
        (place / "rules.mjs").write_text(module, encoding="utf-8")
        (place / "main.mjs").write_text(_JAVASCRIPT, encoding="utf-8")
        # JSON has no infinite numbers; JavaScript reads the words. Missing is null.
        lines = (json.dumps([_json_cell(v) for v in row.values()]) for row in rows.records())
        names = json.dumps(list(rows.columns))
        (place / "rows.jsonl").write_text("\n".join([names, *lines]), encoding="utf-8")
        out = run_program([node, str(place / "main.mjs"), str(place / "rows.jsonl")])
    found = json.loads(out)
    chances = None if found["chances"] is None else _table(found["chances"], rules)
    return Answers(found["predictions"], chances)


_JAVASCRIPT = """
import { readFileSync } from "node:fs";
import * as rules from "./rules.mjs";
const [names, ...rows] = readFileSync(process.argv[2], "utf8").split("\\n").map(JSON.parse);
const records = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
const chances = rules.probabilities ? records.map(rules.probabilities) : null;
console.log(JSON.stringify({ predictions: records.map(rules.predict), chances }));
"""


def _json_cell(value: Any) -> Any:
    if isinstance(value, str) or value is None:
        return value
    if value != value:
        return None
    return value if abs(value) < np.inf else ("Infinity" if value > 0 else "-Infinity")


C_FLAGS = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic")


def run_c(rules: RuleSet, rows: RawRows, flags: Sequence[str] = (), **options: Any) -> Answers:
    """Compile the header with a small program around it, and run that."""
    compiler = find_program("cc", "gcc", "clang")
    program = make_program(rules, options.get("missing", True))
    texts = [column.kind == "text" for column in program.columns]
    columns = [rows.columns[column.name] for column in program.columns]
    number = isinstance(program.outcome, Amount)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        header = export(rules, "c", **options)
        assert isinstance(header, str)
        (place / "rules.h").write_text(header, encoding="utf-8")
        source = _c_main(field_names(program), texts, len(program.labels), _longest(columns))
        (place / "main.c").write_text(source, encoding="utf-8")
        binary = str(place / "main")
        main = str(place / "main.c")
        run_program([compiler, *C_FLAGS, *flags, main, "-o", binary, "-lm"])
        data = place / "rows.bin"
        data.write_bytes(_packed(columns, len(rows)))
        answers = place / "answers.bin"
        run_program([binary, str(data), str(answers)])
        out = answers.read_bytes()
    if number:
        return Answers(np.frombuffer(out, np.float64).tolist())
    record = np.dtype([("label", np.int32), ("chances", np.float64, len(program.labels))])
    found = np.frombuffer(out, record)
    chances: Floats = found["chances"].reshape(len(rows), len(program.labels))
    return Answers([program.labels[at] for at in found["label"].tolist()], chances)


def run_java(rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
    """Compile the class with a small program around it, and run that."""
    compiler, machine = find_program("javac"), find_program("java")
    program = make_program(rules, options.get("missing", True))
    texts = [column.kind == "text" for column in program.columns]
    columns = [rows.columns[column.name] for column in program.columns]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        source = export(rules, "java", **options)
        assert isinstance(source, str)
        (place / "Rules.java").write_text(source, encoding="utf-8")
        (place / "Main.java").write_text(
            _java_main(texts, bool(program.labels)), encoding="utf-8"
        )
        run_program(
            [
                *(compiler, "-encoding", "UTF-8", "-Xlint:all", "-Werror", "-d", folder),
                *(str(place / "Rules.java"), str(place / "Main.java")),
            ]
        )
        data = place / "rows.bin"
        data.write_bytes(_packed(columns, len(rows)))
        out = run_program(
            [machine, "-Xshare:auto", "-cp", folder, "Main", str(len(rows))], data
        )
    if not program.labels:
        return Answers(np.frombuffer(out, "<f8").tolist())
    record = np.dtype([("label", "<i4"), ("chances", "<f8", len(program.labels))])
    found = np.frombuffer(out, record)
    chances: Floats = (
        found["chances"].astype(np.float64).reshape(len(rows), len(program.labels))
    )
    return Answers([program.labels[at] for at in found["label"].tolist()], chances)


def _java_main(texts: Sequence[bool], classes: bool) -> str:
    """A program that reads rows from standard input and writes what the rules answer."""
    names = [f"a{at}" for at in range(len(texts))]
    declared = "".join(
        f"            {'String' if is_text else 'double'} {name} = "
        f"{'text()' if is_text else 'number()'};\n"
        for name, is_text in zip(names, texts, strict=True)
    )
    arguments = ", ".join(names)
    if classes:
        answer = (
            f"            put(4).putInt(0, Rules.predict({arguments})); flush(4);\n"
            f"            for (double p : Rules.probabilities({arguments})) "
            "{ put(8).putDouble(0, p); flush(8); }\n"
        )
    else:
        answer = f"            put(8).putDouble(0, Rules.predict({arguments})); flush(8);\n"
    return _JAVA.replace("@read", declared).replace("@answer", answer)


_JAVA = """
import java.io.*;
import java.nio.*;
import java.nio.charset.StandardCharsets;

final class Main {
    static final InputStream in = new BufferedInputStream(System.in);
    static final OutputStream out = new BufferedOutputStream(System.out);
    static final ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);

    static ByteBuffer put(int size) { return bytes; }
    static void flush(int size) throws IOException { out.write(bytes.array(), 0, size); }
    static double number() throws IOException {
        in.readNBytes(bytes.array(), 0, 8);
        return bytes.getDouble(0);
    }
    static String text() throws IOException {
        in.readNBytes(bytes.array(), 0, 4);
        int size = bytes.getInt(0);
        return size < 0 ? null : new String(in.readNBytes(size), StandardCharsets.UTF_8);
    }
    public static void main(String[] arguments) throws IOException {
        for (int row = Integer.parseInt(arguments[0]); row > 0; row--) {
@read@answer        }
        out.flush();
    }
}
"""


def _longest(columns: Sequence[Any]) -> int:
    texts = (v for column in columns for v in column if isinstance(v, str))
    return max((len(text.encode("utf-8", "surrogatepass")) for text in texts), default=0)


def _packed(columns: Sequence[Any], count: int) -> bytes:
    """Rows for the C program: doubles, and texts after their length, -1 if missing."""
    if all(isinstance(column, np.ndarray) for column in columns) and columns:
        return np.stack(columns, axis=1).astype(np.float64).tobytes()
    parts = []
    for at in range(count):
        for column in columns:
            value = column[at]
            if value is None:
                parts.append(struct.pack("<i", -1))
            elif isinstance(value, str):
                raw = value.encode("utf-8", "surrogatepass")
                parts.append(struct.pack("<i", len(raw)) + raw)
            else:
                parts.append(struct.pack("<d", value))
        if not columns:
            parts.append(b"\0")
    return b"".join(parts)


def _c_main(fields: Sequence[str], texts: Sequence[bool], classes: int, longest: int) -> str:
    """A program that reads rows from a file and writes to another what the rules answer."""
    lines = ["#include <stdint.h>", "#include <stdio.h>", '#include "rules.h"', ""]
    lines += [
        "int main(int count, char **names) {",
        '    FILE *in = count == 3 ? fopen(names[1], "rb") : NULL;',
        '    FILE *out = in != NULL ? fopen(names[2], "wb") : NULL;',
        "    if (out == NULL) return 2;",
        "    for (;;) {",
        "        rules_row row;",
    ]
    if not texts:
        lines += ["        if (fgetc(in) == EOF) break;", "        row.unused = 0;"]
    for field, is_text in zip(fields, texts, strict=True):
        if not is_text:
            lines.append(f"        if (fread(&row.{field}, 8, 1, in) != 1) break;")
            continue
        lines += [
            f"        int32_t n_{field}; static char b_{field}[{longest + 1}];",
            f"        if (fread(&n_{field}, 4, 1, in) != 1) break;",
            f"        row.{field} = NULL;",
            f"        if (n_{field} >= 0) {{",
            f"            size_t n = (size_t)n_{field};",
            f"            if (fread(b_{field}, 1, n, in) != n) return 1;",
            f"            b_{field}[n] = 0;",
            f"            row.{field} = b_{field};",
            "        }",
        ]
    if classes:
        lines += [
            "        int32_t label = rules_predict(&row);",
            f"        double chances[{classes}];",
            "        rules_probabilities(&row, chances);",
            "        if (rules_class(label) == NULL) return 1;",
            "        fwrite(&label, 4, 1, out);",
            f"        fwrite(chances, 8, {classes}, out);",
        ]
    else:
        lines += [
            "        double number = rules_predict(&row);",
            "        fwrite(&number, 8, 1, out);",
        ]
    return "\n".join([*lines, "    }", "    fclose(in);", "    return fclose(out);", "}", ""])


def find_program(*names: str) -> str:
    """The path of the first of some programs that is there."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise ExportError(f"{names[0]} is not installed")
    return found


def run_program(command: Sequence[str], data: Path | None = None) -> bytes:
    """Run a program, with a file as its input; what it complains about is an error."""
    with nullcontext(subprocess.DEVNULL) if data is None else open(data, "rb") as file:
        done = subprocess.run(
            command, stdin=file, capture_output=True, check=False, timeout=MOST_SECONDS
        )
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise ExportError(f"{Path(command[0]).name} failed: {said[-2000:]}")
    return done.stdout
