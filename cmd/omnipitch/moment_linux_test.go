package main

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// fileTruth has the fields of a line of truth.jsonl that tests read.
type fileTruth struct {
	Step int64   `json:"step"`
	Time float64 `json:"time_s"`
	Ball struct {
		Position mgl64.Vec3 `json:"position_m"`
		Velocity mgl64.Vec3 `json:"velocity_m_s"`
		HeldBy   string     `json:"held_by"`
		InGoal   string     `json:"in_goal"`
	} `json:"ball"`
}

// TestTruthBeginsWithTimeZero checks that the files of a run begin with the state after the events of time 0, and have
// every step once.
func TestTruthBeginsWithTimeZero(t *testing.T) {
	world := writeFile(t, "zero.toml", "name = \"zero\"\ninclude = [\"nubot-attack\"]\n[[event]]\nplace = { name = "+
		"\"ball\", x_m = -4, y_m = 1 }\n")
	dir := t.TempDir()
	prints(t, console.ExitDone, "", "run", world, "--ros1", "off", "--level", "*=objects", "--level", "*=truth",
		"--for", "100ms", "--speed", "max", "--out", dir)
	f := must(os.Open(filepath.Join(dir, "truth.jsonl")))(t)
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := int64(0)
	for ; lines.Scan(); n++ {
		var now fileTruth
		noError(t, json.Unmarshal(lines.Bytes(), &now))
		if at := now.Ball.Position.Vec2(); now.Step != n || !(at.Sub([2]float64{-4, 1}).Len() < 0.01) {
			t.Errorf("line %d is step %d with the ball at %v, want %d at [-4 1]", n+1, now.Step, at, n)
		}
	}
	if err := lines.Err(); err != nil || n != 21 {
		t.Errorf("%d lines, want 21; %v", n, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "cyan1.omni.truth.000000.json"))
	var seen struct {
		Stamp   float64 `json:"stamp_s"`
		Objects []struct {
			Kind     string     `json:"kind"`
			Position mgl64.Vec3 `json:"position_m"`
		} `json:"objects"`
	}
	if err == nil {
		err = json.Unmarshal(text, &seen)
	}
	if err != nil || seen.Stamp != 0 {
		t.Fatalf("the first objects: stamp %v, %v", seen.Stamp, err)
	}
	// Relative to the pose at which nubot-attack puts cyan1.
	ball := spatial.Planar(0.5, -0.5, 15*math.Pi/180).Inverse().Apply([3]float64{-4, 1, 0}).Vec2()
	if got := seen.Objects[0]; got.Kind != "ball" || !(got.Position.Vec2().Sub(ball).Len() < 0.01) {
		t.Errorf("the first objects begin with %+v, want the ball at %v", got, ball)
	}
}
