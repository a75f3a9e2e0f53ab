package mujoco

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/internal/play"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// processorTime returns the processor time of this process.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkHumanoids steps eight standing robots with 20 joints each. In the same run, a C program steps the same model
// from the same state with MuJoCo alone. The metrics are the speed as a multiple of real time, and as a multiple of
// MuJoCo's alone, both by processor time.
func BenchmarkHumanoids(b *testing.B) {
	dir := b.TempDir()
	loop := filepath.Join(dir, "loop")
	if out, err := exec.Command("gcc", "-O2", "-o", loop, "testdata/loop.c", "-lmujoco").CombinedOutput(); err != nil {
		b.Skipf("install libmujoco-dev: %v\n%s", err, out)
	}
	model := enginetest.Model()
	model.Config.Engine = "mujoco"
	for i := range 8 {
		model.Robots = append(model.Robots, enginetest.Humanoid(float64(i/4), float64(i%4), 0.4*float64(i)))
	}
	w := must.Get(newBodies(model))(b)
	e := must.Get(play.New(model, w))(b)
	defer e.Close()
	commands := make([]physics.Command, 8)
	for range 200 {
		must.Do(b, e.Step(commands))
	}
	var state bytes.Buffer
	for _, list := range [][]float64{w.qpos, w.qvel, w.ctrl, w.gain, w.damping} {
		must.Do(b, binary.Write(&state, binary.NativeEndian, list))
	}
	must.Do(b, os.WriteFile(filepath.Join(dir, "state"), state.Bytes(), 0o600))
	must.Do(b, os.WriteFile(filepath.Join(dir, "model.xml"), []byte(compose(model, w.dt/float64(w.parts))), 0o600))
	alone := func(steps int) float64 {
		out := must.Get(exec.Command(loop, filepath.Join(dir, "model.xml"), filepath.Join(dir, "state"),
			strconv.Itoa(steps*w.parts)).Output())(b)
		return must.Get(strconv.ParseFloat(strings.TrimSpace(string(out)), 64))(b)
	}
	var now physics.Snapshot
	steps, ours, theirs := 0, 0.0, 0.0
	b.ReportAllocs()
	for b.Loop() {
		from := processorTime(b)
		for range 100 {
			must.Do(b, e.Step(commands))
			e.Snapshot(&now)
		}
		ours += (processorTime(b) - from).Seconds()
		theirs += alone(100)
		steps += 100
	}
	b.ReportMetric(float64(steps)*w.dt/ours, "×real-time")
	b.ReportMetric(theirs/ours, "×MuJoCo-alone")
}
