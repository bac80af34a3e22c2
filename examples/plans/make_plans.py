"""Writes the plans of this folder that need no other files: python3 make_plans.py LOGDEPTH FOLDER.

A plan is what fills one figure or table of docs/learned.md on one H100 in at most eight minutes, and begins with a
run of a few steps that tries the device. Steps are counted from measured rates: an adaptive loop of width 256 on
8192 letters makes 90 steps a second alone and 27 to 36 with five at once; packed stacks of eight seeds make about
730 steps of one seed a second in all, at four loops. A limit in seconds ends what is slower than that. Learning rates
fall at the end of the steps."""
import json
import os
import subprocess
import sys
import tempfile

EIGHT = "1,2,3,4,5,6,7,8"
WORDS = "word-problem --packed --kind loop"


def words(more, steps, seconds):
    return f"{WORDS} {more} --seeds {EIGHT} --steps {steps} --seconds {seconds} --set training.curve_first={steps // 16}"


def reachability():
    for vertices in 16, 32, 64:
        for kind in "", " --looped":
            yield "", (f"row-tokens --vertices {vertices} --depths 1,2,3{kind} --seeds 1,2,3 --steps 2000 --seconds 70 "
                       f"--set task.batch={4096 // vertices}")


# The changes of one setting that are tried on A5 with six loops; the first has none.
RECIPES = {"preset": "", "no-step-vector": "model.step_embedding=none", "rate-0.002": "training.learning_rate=0.002",
           "half-decay": "training.decay=0.5", "short-words": "task.mixed_lengths=0.5",
           "late-promotion": "training.promotion=0.97"}

# Of each plan: a prefix of the names of the runs, and the command that has them.
PLANS = {
    "need": [("", words("--depths 2,3,4,5,6 --monoid A5,S5", 3440, 454))],
    "need-controls": [("", words("--depths 3,5 --monoid A5", 6880, 460)),
                      ("", words("--depths 2,3,4,5,6 --monoid S3", 3440, 460)),
                      ("", words("--depths 1,2,3 --monoid Z2", 3440, 460))],
    "need-supervision": [
        ("mean-steps/", words("--depths 3,4 --monoid A5", 3440, 400) + " --set training.supervision=mean-steps"),
        ("prescribed/", "word-problem --kind adaptive-loop --depths 1,2 --monoid A5 --seeds 1,2,3 --steps 10000 "
                        "--seconds 400")],
    "recipe": [(f"{name}/", words("--depths 6 --monoid A5", 3440, 420) + (f" --set {change}" if change else ""))
               for name, change in RECIPES.items()],
    "depth": [("", "word-problem --kind adaptive-loop --depths 1 --widths 256 --monoid A5,S5 --mixed-lengths --seeds "
                   "1,2,3 --steps 10000 --seconds 440 --set task.batch_tokens=8192 --set training.decay=0.2")],
    "reachability": list(reachability()),
    "depth-recurrent": [
        ("", "depth-recurrent --paper-size --task graphs --generator twin --seeds 1,2,3 --steps 5000 --seconds 70"),
        ("", "depth-recurrent --paper-size --task graphs --generator natural --supervision last,mean-steps --seeds "
             "1,2,3 --steps 5000 --seconds 70"),
        ("", "depth-recurrent --paper-size --task expressions --seeds 1,2,3 --steps 5000 --seconds 240 "
             "--set training.precision=bfloat16")],
    "latent-reasoning": [("", "latent-reasoning --paper-size --method continuous,discrete --seeds 1,2,3 --steps 8000 "
                              "--seconds 420 --set training.precision=bfloat16")],
}


def refuse(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(2)


def runs_of(program, folder, command):
    file = os.path.join(folder, "runs.json")
    try:
        done = subprocess.run([program, "train", *command.split(), "--write-plan", file, "--out", folder],
                              capture_output=True, text=True)
    except OSError as error:
        refuse(f"{program}: expected the program logdepth, {error.strerror}")
    if done.returncode or not os.path.exists(file):
        refuse(done.stderr.strip() or f"{program}: expected the program logdepth")
    with open(file, encoding="utf-8") as made:
        return json.load(made)["runs"]


def smoke(run):
    """A run of a few steps with the settings of another, which reports leave out beside the longer one."""
    config = json.loads(json.dumps(run["config"]))
    config["training"].update(steps=20, seconds=60.0)
    return {"name": "smoke/" + run["name"], "config": config}


def main():
    if len(sys.argv) != 3:
        refuse("expected: make_plans.py LOGDEPTH FOLDER")
    program, out = sys.argv[1:]
    if not os.path.isdir(out):
        refuse(f"{out}: expected a folder for the plans")
    for name, pieces in PLANS.items():
        runs = []
        with tempfile.TemporaryDirectory() as folder:
            for prefix, command in pieces:
                runs += [{**run, "name": prefix + run["name"]} for run in runs_of(program, folder, command)]
        lines = ",\n".join(json.dumps(run) for run in [smoke(runs[0]), *runs])
        with open(os.path.join(out, name + ".json"), "w", encoding="utf-8") as file:
            file.write('{"format": "logdepth-plan", "version": 1, "runs": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main()
