package enginetest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Brawler decides what robots do in a wild game: everyone runs for the ball, with some noise, and shoots it away.
type Brawler struct {
	rnd      *rand.Rand
	Commands []physics.Command
}

// NewBrawler returns one for so many robots.
func NewBrawler(robots int) *Brawler {
	return &Brawler{rnd: rand.New(rand.NewPCG(3, 4)), Commands: make([]physics.Command, robots)}
}

// Next fills Commands for the step that starts at s.
func (b *Brawler) Next(s *physics.Snapshot) {
	for i := range b.Commands {
		ball := s.Robots[i].PoseWB.Unrotate(s.Ball.PosW.Sub(s.Robots[i].PoseWB.Pos))
		b.Commands[i].TwistB = physics.PlanarTwist{VX: 2 * ball[0], VY: 2 * ball[1], Omega: 3*math.Atan2(ball[1], ball[0]) + b.rnd.NormFloat64()}
		b.Commands[i].Dribble = true
		b.Commands[i].Kick = physics.Kick{}
		if b.rnd.IntN(50) == 0 {
			b.Commands[i].Kick = physics.Kick{Mode: physics.KickMode(1 + b.rnd.IntN(2)), Speed: 8 * b.rnd.Float64()}
		}
	}
}

// brawl returns the hashes of a wild game.
func brawl(start New, scene *physics.Scene, steps int) ([]uint64, error) {
	e, err := start(scene)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	game := NewBrawler(len(scene.Robots))
	var s physics.Snapshot
	var hashes []uint64
	for k := range steps {
		e.Snapshot(&s)
		game.Next(&s)
		if k == steps/2 {
			if err := e.PlaceBall(mgl64.Vec3{1, 1, 0.5}, spatial.Twist{}); err != nil {
				return nil, err
			}
			if err := e.PlaceObstacle(0, spatial.Planar(-5, -4, 1)); err != nil {
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

// Main is a package's TestMain. It plays the brawls alone when Repeats starts its binary again.
func Main(m *testing.M, start New, scenes ...*physics.Scene) {
	if os.Getenv(brawlVariable) == "" {
		os.Exit(m.Run())
	}
	for _, scene := range scenes {
		hashes, err := brawl(start, scene, brawlSteps)
		fmt.Println(hashes, err)
	}
}

// Repeats checks that brawls give the same bytes in another process, on one and two processors, and eight at a time; the
// package's TestMain has to be Main with the same scenes.
func Repeats(t *testing.T, start New, scenes ...*physics.Scene) {
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
	play := func(what string, i int) {
		hashes, err := brawl(start, scenes[i], brawlSteps)
		if got := strings.Join(strings.Fields(fmt.Sprint(hashes, " ", err)), " "); got != lines[i] {
			t.Errorf("%s: scene %d differs from the other process", what, i)
		}
	}
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, n := range []int{1, 2} {
		runtime.GOMAXPROCS(n)
		for i := range scenes {
			play(fmt.Sprintf("GOMAXPROCS %d", n), i)
		}
	}
	var wait sync.WaitGroup
	for world := range 8 {
		wait.Go(func() { play(fmt.Sprintf("world %d of eight", world), world%len(scenes)) })
	}
	wait.Wait()
}
