package enginetest

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
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// brawl returns the hashes of a wild game.
func brawl(start New, model *physics.Model, steps int) ([]uint64, error) {
	e, err := start(model)
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

// Main is a package's TestMain. In a process that Repeats has started it only plays the brawls.
func Main(m *testing.M, start New, models ...*physics.Model) {
	if os.Getenv(brawlVariable) == "" {
		os.Exit(m.Run())
	}
	for _, model := range models {
		hashes, err := brawl(start, model, brawlSteps)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(hashes)
	}
}

// Repeats checks that brawls give bit-identical states in another process, on one and two processors, and eight at a
// time. The package's TestMain must be Main with the same models.
func Repeats(t *testing.T, start New, models ...*physics.Model) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
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
		hashes, err := brawl(start, models[i], brawlSteps)
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
	for world := range 8 {
		wait.Go(func() { play(fmt.Sprintf("world %d of eight", world), world%len(models)) })
	}
	wait.Wait()
}
