package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// detectorWhole makes TestDetector run the page in full. `make verify-detector` sets it.
var detectorWhole = flag.Bool("detector.whole", false, "TestDetector does all that docs/detector.md says, in "+
	"out/detector, where it goes on with what is there; without it a few images show that its programs work")

// fewImages replaces parts of the page's commands that contain a text. An empty replacement leaves the command out.
// Plain images are the cheapest. Two scenes give one for training and one for choosing the threshold.
var fewImages = []struct{ has, from, to string }{
	{"detector/training.toml", "training.toml --frames 5000 --per-scene 20",
		"plain.toml --frames 12 --per-scene 2 --split 0.5,0.5,0"},
	{"detector/plain.toml", "", ""},
	{"for w in", "", ""},
	{"out/detector/plain", "", ""},
	{"evaluate.py", "out/detector/busy out/detector/evening out/detector/windows --least 0.95 --most 0.1",
		"out/detector/natural"},
	{"assess", "--for 60s", "--for 1s"},
}

// TestDetector follows docs/detector.md: it makes data sets, trains detectors, evaluates them, and assesses one as a
// node.
func TestDetector(t *testing.T) {
	if !*detectorWhole {
		needLong(t, "verify-long")
	}
	needROS(t)
	program(t)
	elsewhere, done := strings.NewReplacer("bin/omnipitch", built+"/omnipitch"), 0
	if !*detectorWhole {
		out := t.TempDir()
		elsewhere = strings.NewReplacer("$PWD/out/", out+"/", "out/", out+"/", "bin/omnipitch", built+"/omnipitch")
		noError(t, os.Mkdir(filepath.Join(out, "detector"), 0o755))
	}
	for _, c := range commandsOf(t, "../../docs/detector.md") {
		line := c.text
		if !*detectorWhole {
			line = withFewImages(t, line)
		}
		if line == "" {
			continue
		}
		cmd := exec.Command("sh", "-c", elsewhere.Replace(line))
		cmd.Dir, cmd.Env = "../..", environment()
		begun := time.Now()
		printed, err := cmd.CombinedOutput()
		switch {
		case err == nil:
		case !*detectorWhole && strings.Contains(line, " assess ") && strings.Contains(string(printed),
			"\npage: "): // so little training teaches no detector to find balls
		default:
			t.Fatalf("%s: %s: %v\n%s", c.place, line, err, printed)
		}
		if strings.Contains(line, ".py") || strings.Contains(line, " assess ") {
			t.Logf("%.0f s: %s\n%s", time.Since(begun).Seconds(), line, printed)
		}
		done++
	}
	if want := 4; done < want {
		t.Errorf("%d commands: want %d at least", done, want)
	}
}

// withFewImages returns a command of the page, shortened to a few images.
func withFewImages(t *testing.T, line string) string {
	for _, f := range fewImages {
		switch {
		case !strings.Contains(line, f.has):
		case f.from == "":
			return ""
		case !strings.Contains(line, f.from):
			t.Fatalf("%s: has no %q", line, f.from)
		default:
			return strings.Replace(line, f.from, f.to, 1)
		}
	}
	return line
}

// TestDetectorsWorlds loads the worlds that docs/detector.md names. The ball colours of the evaluation worlds must not
// occur in the training worlds.
func TestDetectorsWorlds(t *testing.T) {
	ballColors := func(name string, seeds uint64) map[render.Color]bool {
		w := must(worlds.Load("../../docs/detector/" + name + ".toml"))(t)
		all := map[render.Color]bool{}
		for seed := range seeds {
			drawn := must(w.WithSeed(seed + 1))(t)
			for i := range drawn.Events {
				if _, a, err := drawn.Events[i].Action(); err == nil {
					if c, ok := a.(*action.SetBallColor); ok {
						all[c.Color] = true
					}
				}
			}
		}
		return all
	}
	trained := ballColors("training", 60)
	if len(trained) != 6 || len(ballColors("plain", 60)) != 6 {
		t.Errorf("training: balls in %d colours: want the 6 of vision-training", len(trained))
	}
	for name, want := range map[string]int{"busy": 2, "evening": 3, "windows": 3} {
		colors := ballColors(name, 20)
		if len(colors) != want {
			t.Errorf("%s: balls in %d colours, want %d", name, len(colors), want)
		}
		for c := range colors {
			if trained[c] {
				t.Errorf("%s: a ball is %v, as in training", name, c)
			}
		}
	}
	if _, err := worlds.Load("../../docs/detector/assess.toml"); err != nil {
		t.Error(err)
	}
}
