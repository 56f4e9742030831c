#!/bin/sh
# From a CSV file to readable rules, and what to do with them, without a line of Python.
# Takes about a minute; works in a folder of its own and prints every command.
#   sh examples/command_line.sh [folder]
set -eu
cd "${1:-$(mktemp -d)}"
rows=${ROWS:-900} fast=${FAST:+--epochs 1}  # ROWS=150 FAST=1 to see it at a glance

say() { printf '\n$ %s\n' "$*"; "$@"; }

# A table like that of the Titanic's passengers: texts, truth values, gaps, a rare port.
say python -c "from crisplogic.datasets import save_titanic; save_titanic('titanic.csv', $rows)"
say head -n 4 titanic.csv

# One command learns the rules. The names of passengers are all different: no use for a rule.
say crisplogic fit titanic.csv --target survived --out model/ $fast

# How good are they on passengers that they were not learned from?
say crisplogic evaluate titanic.csv --target survived --folds 3 --repeats 1 $fast

# Rules of other sizes were found on the way; a few literals say a lot.
say crisplogic frontier model/
say crisplogic frontier model/ --at 4 --out small.json
say crisplogic rules small.json

# Predictions, as many as you like: files are read in parts. And why one is as it is.
say crisplogic predict model/ titanic.csv --proba --out predictions.csv
say head -n 4 predictions.csv
say crisplogic explain small.json titanic.csv --row 8

# For scripts: one JSON document.
say crisplogic predict small.json titanic.csv --out small.csv --json

# Some targets are numbers, as fares are: a rule adds up what its terms are worth. What is known
# beforehand is said by options: fares do not fall with age, and who survived came later.
say crisplogic fit titanic.csv --target fare --up age --drop survived --out fares/ $fast
say crisplogic predict fares/ titanic.csv --out fares.csv --json
