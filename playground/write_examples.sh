#!/bin/sh
# Writes the stored examples of the page: ./write_examples.sh LOGDEPTH OUT. tests/playground compares them with examples/.
set -eu
logdepth=$1 out=$2 here=$(dirname "$0")
mkdir -p "$out"
part() {  # FILE KIND FACE TEXT TITLE WORD COMPILE...: a line of examples.json
  file=$1 kind=$2 face=$3 text=$4 title=$5 word=$6
  shift 6
  "$logdepth" compile "$@" -o "$out/$file" 2> "$out/lines"
  sed "s|$out/||" "$out/lines" > "$out/lines.short"
  python3 - "$out" "$file" "$kind" "$face" "$text" "$title" "$word" <<'PY'
import json, sys
out, file, kind, face, text, title, word = sys.argv[1:]
lines = open(out + "/lines.short").read().splitlines()
one = dict(title=title, kind=kind, face=face, text=text, word=word, file=file, lines=lines)
print(json.dumps(one, sort_keys=True))
PY
}
{
  part abb.json regex regex '(a|b)*abb' 'words that end in abb' aabb regular --regex '(a|b)*abb'
  part a5.json group group A5 'products in A5' abaabbab regular --group A5
  text=$(cat "$here/../examples/crasp/majority.crasp"; echo x)
  part majority.json crasp crasp "${text%x}" 'more a than b' abaab crasp "$here/../examples/crasp/majority.crasp"
  text=$(cat "$here/../examples/programs/majority.cells"; echo x)
  part counting.json program program "${text%x}" 'a construction in text form' 10110 program "$here/../examples/programs/majority.cells"
  part division.json division division '' 'quotient and remainder' '' division
  part rows.json connectivity graph '' 'reachability on 8 vertices' '' connectivity --construction rows --size 8
  "$logdepth" check lem-A.6 --report "$out/report" > "$out/lines"
  mv "$out/report/models/lem-A.6-off-by-one-as-written.json" "$out/lem-A.6.json"
  rm -r "$out/report"
  echo '{"face": "file", "file": "lem-A.6.json", "kind": "file", "lines": [], "text": "", "title": "Lemma A.6 as written", "word": ""}'
} > "$out/parts"
"$logdepth" compile khop --hops 1 -o "$out/hop1.json" 2> "$out/lines"  # an exercise goes on from its program
"$logdepth" compare depth "$here"/../bench/results/records/*.jsonl.gz --up-to 4 --json 2> "$out/lines" |
  python3 -c "import json, sys
learned = [one for one in json.load(sys.stdin)['learned'] if one['problem'] != 'reachability']
print('[' + ',\n'.join(json.dumps(one, sort_keys=True) for one in learned) + ']')" > "$out/trained.json"
{ echo '['; sed '$!s/$/,/' "$out/parts"; echo ']'; } > "$out/examples.json"
rm "$out/parts" "$out/lines" "$out/lines.short"
