package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// brawl returns the hashes of a wild game.
func brawl(model *physics.Model, steps int) ([]uint64, error) {
	e, err := engine.New(model)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	game := experiment.NewBrawler(len(model.Robots))
	var s physics.Snapshot
	var hashes []uint64
	for k := range steps {
		e.Snapshot(&s)
		game.Next(&s)
		if k == steps/2 {
			if err := e.PlaceBall(mgl64.Vec3{1, 1, 0.5}, spatial.Twist{}); err != nil {
				return nil, err
			}
			if err := e.PlaceObstacle(0, spatial.Planar(-5, -4, 1), spatial.Twist{}); err != nil {
				return nil, err
			}
		}
		if err := e.Step(game.Commands); err != nil {
			return nil, err
		}
		e.Snapshot(&s)
		hashes = append(hashes, s.Hash())
	}
	return hashes, nil
}

const (
	brawlVariable = "OMNIPITCH_TEST_BRAWL"
	brawlSteps    = 300
)

// brawlModels are the models whose brawls must repeat. They include rollers, and piles among 40 robots for the
// iterative solver, whose random generator all worlds of ODE share.
func brawlModels() []*physics.Model {
	all := func(level physics.DriveLevel) func(int) physics.DriveLevel {
		return func(int) physics.DriveLevel { return level }
	}
	wheelsAndChassis := func(i int) physics.DriveLevel {
		return []physics.DriveLevel{physics.WheelsDrive, physics.ChassisDrive}[i%2]
	}
	models := []*physics.Model{
		enginetest.Match(10, wheelsAndChassis), enginetest.Match(40, wheelsAndChassis),
		enginetest.Match(3, all(physics.RollersDrive)),
		enginetest.Match(10, all(physics.KinematicDrive)), enginetest.Match(40, all(physics.KinematicDrive)),
	}
	for _, m := range models[3:] {
		m.Config.Engine = "planar"
	}
	return models
}

// TestMain plays the brawls, and nothing else, in the process that TestRepeats starts.
func TestMain(m *testing.M) {
	if os.Getenv(brawlVariable) == "" {
		os.Exit(m.Run())
	}
	for _, model := range brawlModels() {
		hashes, err := brawl(model, brawlSteps)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(hashes)
	}
}

// Brawls give bit-identical states in another process, on one and on two processors, and in ten worlds at once.
func TestRepeats(t *testing.T) {
	models := brawlModels()
	binary := must.Get(os.Executable())(t)
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), brawlVariable+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(models) {
		t.Fatalf("the other process played %d models: must be %d", len(lines), len(models))
	}
	play := func(what string, i int) {
		hashes, err := brawl(models[i], brawlSteps)
		if err != nil {
			t.Errorf("%s: model %d: %v", what, i, err)
		} else if got := fmt.Sprint(hashes); got != lines[i] {
			t.Errorf("%s: model %d differs from the other process", what, i)
		}
	}
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, n := range []int{1, 2} {
		runtime.GOMAXPROCS(n)
		for i := range models {
			play(fmt.Sprintf("GOMAXPROCS %d", n), i)
		}
	}
	var wait sync.WaitGroup
	for world := range 10 {
		wait.Go(func() { play(fmt.Sprintf("world %d of ten", world), world%len(models)) })
	}
	wait.Wait()
}
