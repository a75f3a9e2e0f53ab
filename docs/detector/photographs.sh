#!/bin/sh
# photographs.sh OUT PYTHON: the table of docs/detector.md. Run it in the folder of the repository, after make build. PYTHON has torch.
set -e
out=$1 python=$2 real=docs/detector/photographs

data() { # NAME FRAMES: rendered images of a world
	bin/omnipitch dataset docs/detector/photographs$1.toml --frames "$2" --per-scene 8 --format yolo --jpeg 90 \
		--sensor cyan1.front --sensor magenta2.front --out "$out/data$1"
}
detector() { # NAME STEPS DATA...: trained, and judged on the photographs
	name=$1 steps=$2
	shift 2
	test -f "$out/$name.pt" || "$python" docs/detector/convolution.py train "$@" --steps "$steps" --out "$out/$name.pt"
	"$python" docs/detector/convolution.py find "$out/$name.pt" $real --out "$out/$name"
	echo "== $name"
	bin/omnipitch assess --photographs $real --detections "$out/$name" --out "$out/$name-page" --overwrite $least
}
for name in -plain '' -dark; do data "$name" 320; done
data -towers 480
data -halls 640
detector plain 2000 "$out/data-plain"
detector natural 2000 "$out/data"
detector dark 2000 "$out/data-dark"
detector towers 2000 "$out/data-towers" --frames 320
detector halls 2000 "$out/data-halls" --frames 320
least='--least ball=0.5 --least obstacle=0.5'
detector both 4000 "$out/data-towers" "$out/data-halls"
least=

# Fine-tuned with ten and twenty photographs, and judged on ten others.
mkdir -p "$out/rest"
cp $real/classes.txt "$out/rest"
k=0
for f in $real/*.jpg; do
	k=$((k + 1))
	test $((k % 3)) != 0 || cp "$f" "${f%.jpg}.txt" "$out/rest"
done
ls $real | grep jpg | awk 'NR % 3 == 1' | head -n 10 >"$out/ten"
ls $real | grep jpg | awk 'NR % 3 != 0' | head -n 20 >"$out/twenty"
cp "$out/both.pt" "$out/tuned-none.pt"
for many in none ten twenty; do
	test $many = none || "$python" docs/detector/convolution.py train $real --only "$out/$many" --begin "$out/both.pt" \
		--steps 150 --rate 1e-3 --out "$out/tuned-$many.pt"
	"$python" docs/detector/convolution.py find "$out/tuned-$many.pt" "$out/rest" --out "$out/tuned-$many"
	echo "== fine-tuned with $many"
	bin/omnipitch assess --photographs "$out/rest" --detections "$out/tuned-$many"
done
