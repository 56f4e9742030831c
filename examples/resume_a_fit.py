"""
Resume a fit
============

``fit(X, y, checkpoint=FILE)`` saves the state of training to a file, every ten seconds and
after each phase. If the process is killed, call ``fit`` again in the same way. It resumes
there and ends with the same rules. Then it removes the file.
"""

# %%
# Kill a fit
# ----------
#
# A second process learns. It is killed as soon as it has saved a checkpoint.

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

LEARN = """
import sys
from crisplogic import LogicClassifier
from crisplogic.datasets import load_breast_cancer_wisconsin
data = load_breast_cancer_wisconsin()
clf = LogicClassifier(epochs=30, restarts=1, folds=2, max_literals=8, random_state=0)
clf.fit(data.to_frame(), data.y, checkpoint=sys.argv[1])
"""
folder = TemporaryDirectory()
checkpoint = Path(folder.name, "fit.npz")
child = subprocess.Popen([sys.executable, "-c", LEARN, str(checkpoint)])
while child.poll() is None and not checkpoint.exists():
    time.sleep(0.01)
child.kill()
child.wait()
print(f"the file {checkpoint.name} has {checkpoint.stat().st_size:,} bytes")

# %%
# Other settings are refused
# --------------------------
#
# A checkpoint belongs to one table and one set of parameters.

from crisplogic import LogicClassifier
from crisplogic.datasets import load_breast_cancer_wisconsin
from crisplogic.errors import CheckpointError

data = load_breast_cancer_wisconsin()
settings = {"restarts": 1, "folds": 2, "max_literals": 8, "random_state": 0}
try:
    LogicClassifier(epochs=20, **settings).fit(data.to_frame(), data.y, checkpoint=checkpoint)
except CheckpointError as error:
    print(error)

# %%
# The same settings resume
# ------------------------

resumed = LogicClassifier(epochs=30, **settings)
resumed.fit(data.to_frame(), data.y, checkpoint=checkpoint)
print("the checkpoint is still there:", checkpoint.exists())
folder.cleanup()

# %%
# The rules are those of a fit that was never disturbed.

undisturbed = LogicClassifier(epochs=30, **settings).fit(data.to_frame(), data.y)
print(undisturbed.rules_.to_text())
print(undisturbed.frontier_)
print("the same rules:", resumed.rules_ == undisturbed.rules_)
print("the same rules of every size:", resumed.frontier_ == undisturbed.frontier_)

# %%
import matplotlib.pyplot as plt

from crisplogic.plot import plot_rules

figure, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
plot_rules(resumed.rules_, ax=ax)
plt.show()
