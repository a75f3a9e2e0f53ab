package main

import (
	"encoding/json"
	"image"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestJoinPage runs the script of docs/cameras.md that joins pictures with truth. It must find the ball at the pixels
// with its label.
func TestJoinPage(t *testing.T) {
	const python, page = "/usr/bin/python3", "../../docs/cameras.md"
	if exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("no numpy: apt-get install python3-numpy")
	}
	commands, files := commandsOf(t, page), filesOf(t, page)
	at := slices.IndexFunc(commands, func(c shownCommand) bool { return strings.Contains(c.text, "python3 join.py") })
	if at < 1 || len(files) != 1 || files[0].name != "join.py" {
		t.Fatalf("the page has commands %v, and files %v", commands, files)
	}
	t.Chdir(t.TempDir())
	files[0].write(t)
	// The world and the command of the page, with pixel labels, and shorter.
	world := "name = \"joined\"\ninclude = [\"nubot-attack\"]\n[[robot]]\nname = \"cyan1\"\nsensor = [{ name = " +
		"\"omni\", ground_truth = true }, { name = \"front\", ground_truth = true }]\n"
	must.Write(t, "w.toml", world)
	args := slices.Clone(commands[at-1].args)
	args[slices.Index(args, "nubot-attack")], args[slices.Index(args, "--for")+1] = "./w.toml", "200ms"
	prints(t, console.ExitDone, "", append(args, "--renderer", "tile")...)
	out, err := exec.Command(python, commands[at].args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found := map[string]int{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line) // file, column, row
		if !strings.HasPrefix(words[0], "cyan1.") {
			continue // a Kinect's
		}
		u, err := strconv.ParseFloat(words[1], 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		v, err := strconv.ParseFloat(words[2], 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		x, y, n := middleOfBall(t, filepath.Join("joined", strings.TrimSuffix(words[0], ".png")+".labels.png"))
		if n < 10 {
			continue // outside the image, or hidden
		}
		if !(math.Hypot(x-u, y-v) <= 1) {
			t.Errorf("%s: the ball is at %.2f, %.2f, the page's script says %.2f, %.2f", words[0], x, y, u, v)
		}
		found[strings.Split(words[0], ".")[1]]++
	}
	if found["omni"] < 4 || found["front"] < 4 {
		t.Errorf("the ball was found in %v images: %s", found, out)
	}
}

// middleOfBall returns the mean position of the ball's pixels, and their number.
func middleOfBall(t *testing.T, path string) (u, v float64, n int) {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	m := must.Get(png.Decode(f))(t)
	names := must.Get(os.ReadFile("joined/labels.json"))(t)
	before, _, _ := strings.Cut(string(names), `": "ball"`)
	ball := must.Get(strconv.Atoi(before[strings.LastIndex(before, `"`)+1:]))(t)
	g := m.(*image.Gray16)
	for y := range g.Rect.Dy() {
		for x := range g.Rect.Dx() {
			if int(g.Gray16At(x, y).Y) == ball {
				u, v, n = u+float64(x), v+float64(y), n+1
			}
		}
	}
	return u / float64(n), v / float64(n), n
}

// TestFramesOfKilledRuns checks that the index of a killed run names complete files only.
func TestFramesOfKilledRuns(t *testing.T) {
	dir := t.TempDir()
	world, out := filepath.Join(dir, "w.toml"), filepath.Join(dir, "frames")
	must.Do(t, os.WriteFile(world, []byte("name = \"w\"\n[[robot]]\nname = \"a\"\nmodel = \"nubot\"\nsensor = [{ name "+
		"= \"front\", level = \"raw\", rate_hz = 100, image = { width_px = 64, height_px = 48 } }]\n"),
		0o600))
	p := launch(t, "", "run", world, "--ros1", "off", "--out", out)
	index := func() []string {
		text, _ := os.ReadFile(filepath.Join(out, "frames.jsonl"))
		lines := strings.SplitAfter(string(text), "\n")
		return lines[:len(lines)-1] // drops the text after the last line end
	}
	until(t, "frames in the index", func() bool { return len(index()) > 20 })
	p.signal(syscall.SIGKILL)
	until(t, "the run to end", p.ended)
	for _, line := range index() {
		var frame struct{ File string }
		if err := json.Unmarshal([]byte(line), &frame); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		f := must.Get(os.Open(filepath.Join(out, frame.File)))(t)
		if _, err := png.Decode(f); err != nil {
			t.Errorf("%s: %v", frame.File, err)
		}
		f.Close()
	}
}
