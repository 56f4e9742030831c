"""Figures from before fits and predictions were made faster, to see what that gained.

They were measured on 2026-11-15 and 2026-11-16, with 2 cores. Rules were graded then.
"""

from __future__ import annotations

BEFORE: dict[str, float] = {
    "level of 8, 64, 4, soft": 1.0,
    "level of 8, 64, 4, snapped": 1.02,
    "level of 64, 4096, 16, soft": 15.4,
    "level of 64, 4096, 16, snapped": 18.5,
    "level of 200, 1024, 16, soft": 25.6,
    "level of 200, 1024, 16, snapped": 23.7,
    "training, breast cancer, default, soft": 1.81,
    "training, breast cancer, default, snapped": 1.47,
    "training, breast cancer, paper, soft": 1.49,
    "training, breast cancer, paper, snapped": 1.15,
    "training, diabetes, default, soft": 1.92,
    "training, diabetes, default, snapped": 1.54,
    "training, diabetes, paper, soft": 1.41,
    "training, diabetes, paper, snapped": 1.12,
    "training, vehicle, default, soft": 3.38,
    "training, vehicle, default, snapped": 2.75,
    "training, vehicle, paper, soft": 3.63,
    "training, vehicle, paper, snapped": 3.01,
    "training, waveform, default, soft": 64.8,
    "training, waveform, default, snapped": 62.8,
    "training, waveform, paper, soft": 53.2,
    "training, waveform, paper, snapped": 44.7,
    "training, yeast, default, soft": 3.26,
    "training, yeast, default, snapped": 2.77,
    "training, yeast, paper, soft": 2.71,
    "training, yeast, paper, snapped": 2.32,
    "fit, breast-cancer-wisconsin, beside EBM": 5.55,
    "fit, diabetes, beside EBM": 1.43,
    "fit, vehicle, beside EBM": 0.842,
    "fit, waveform, beside EBM": 0.385,
    "fit, yeast, beside EBM": 3.22,
    "prediction, breast-cancer-wisconsin": 1.78,
    "prediction, vehicle": 0.793,
    "prediction, yeast": 0.97,
    "prediction, waveform": 1.39,
    "import crisplogic": 0.0269,
    "crisplogic --help": 0.107,
    "load rules, predict a row": 0.21,
}
