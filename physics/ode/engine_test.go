package ode

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// match has n robots of both levels, and obstacles.
func match(n int, level func(i int) physics.DriveLevel) *physics.Scene {
	scene := testScene()
	scene.Ball.X, scene.Ball.Y = 0, 0
	for i := range n {
		a, d := 2*math.Pi*float64(i)/10+0.1, 1.5+0.7*float64(i/10)
		scene.Robots = append(scene.Robots, testRobot(level(i), d*math.Cos(a), d*math.Sin(a), a+math.Pi))
		if i%2 == 1 {
			scene.Robots[i].Team = physics.Magenta
		}
	}
	for i := range 3 {
		scene.Obstacles = append(scene.Obstacles, physics.Obstacle{
			Pose: spatial.Planar(-4+4*float64(i), 4.5, 0.3), SizeX: 0.5, SizeY: 0.5, Height: 0.8, Mass: 8})
	}
	return scene
}

func mixed(i int) physics.DriveLevel { return levels[i%2] }

// brawl returns the hashes of a wild game of so many robots.
func brawl(robots, steps int) ([]uint64, error) {
	e, err := New(match(robots, mixed))
	if err != nil {
		return nil, err
	}
	defer e.Close()
	rnd := rand.New(rand.NewPCG(3, 4))
	commands := make([]physics.Command, robots)
	var s physics.Snapshot
	var hashes []uint64
	for k := range steps {
		e.Snapshot(&s)
		for i := range commands {
			// Everyone runs for the ball, with some noise, and shoots it away.
			b := s.Robots[i].PoseWB.Inverse().Apply(s.Ball.PosW)
			commands[i].TwistB = physics.PlanarTwist{VX: 2 * b[0], VY: 2 * b[1], Omega: 3*math.Atan2(b[1], b[0]) + rnd.NormFloat64()}
			commands[i].Dribble = true
			commands[i].Kick = physics.Kick{}
			if rnd.IntN(50) == 0 {
				commands[i].Kick = physics.Kick{Mode: physics.KickMode(1 + rnd.IntN(2)), Speed: 8 * rnd.Float64()}
			}
		}
		if k == steps/2 {
			e.PlaceBall(mgl64.Vec3{1, 1, 0.5}, spatial.Twist{})
			e.PlaceObstacle(0, spatial.Planar(-5, -4, 1))
		}
		if err := e.Step(commands); err != nil {
			return nil, err
		}
		e.Snapshot(&s)
		hashes = append(hashes, s.Hash())
	}
	return hashes, nil
}

const brawlVariable = "OMNIPITCH_TEST_BRAWL"

// TestMain plays the brawl alone when TestSameBytesInAnotherProcess starts this binary again.
func TestMain(m *testing.M) {
	if os.Getenv(brawlVariable) == "" {
		os.Exit(m.Run())
	}
	for _, n := range []int{10, 40} {
		hashes, err := brawl(n, 300)
		fmt.Println(hashes, err)
	}
}

func TestSameBytesInAnotherProcessAndBesideOthers(t *testing.T) {
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
	// 40 robots make piles for the iterative solver, whose random generator all worlds share.
	var wait sync.WaitGroup
	for world, n := range []int{10, 40, 40, 10} {
		wait.Go(func() {
			hashes, err := brawl(n, 300)
			if got, want := fmt.Sprint(hashes, " ", err), lines[n/40]; strings.Join(strings.Fields(got), " ") != want {
				t.Errorf("world %d of %d robots differs from the other process", world, n)
			}
		})
	}
	wait.Wait()
}

func TestStepAndSnapshotAllocateNothing(t *testing.T) {
	r := start(t, match(10, mixed))
	for i := range r.commands {
		r.commands[i] = physics.Command{TwistB: physics.PlanarTwist{VX: 1, Omega: 0.3}, Dribble: true}
	}
	r.run(0.5)
	if n := testing.AllocsPerRun(200, r.step); n != 0 {
		t.Errorf("%v allocations per step", n)
	}
}

func TestSnapshotsDoNotShareMemory(t *testing.T) {
	r := start(t, match(2, mixed))
	r.commands[0].TwistB.VX = 1
	r.run(0.1)
	kept := r.s.Clone()
	var other physics.Snapshot
	r.Snapshot(&other)
	r.run(0.1)
	if kept.Hash() != other.Hash() || kept.Hash() == r.s.Hash() {
		t.Error("a later step changed an earlier snapshot")
	}
	if kept.Step != 20 || kept.Time != 20*step {
		t.Errorf("step %d at %v, want 20 at 100ms", kept.Step, kept.Time)
	}
}

func TestStepRefusesBadCommandsAndGoesOn(t *testing.T) {
	r := start(t, match(2, mixed))
	if err := r.Engine.Step(nil); err == nil || !strings.Contains(err.Error(), "0 commands for 2 robots") {
		t.Errorf("no commands: %v", err)
	}
	bad := []physics.Command{{}, {TwistB: physics.PlanarTwist{VY: math.NaN()}}}
	if err := r.Engine.Step(bad); err == nil || !strings.Contains(err.Error(), "command[1]") {
		t.Errorf("NaN: %v", err)
	}
	r.step()
}

// One is found by this package; at the other libode would end the process.
func TestABrokenStateIsAnError(t *testing.T) {
	for want, place := range map[string]func(*rig){
		"without a finite state": func(r *rig) { r.PlaceBall(mgl64.Vec3{math.NaN(), 0, 1}, spatial.Twist{}) },
		"libode assertion": func(r *rig) {
			r.PlaceRobot(0, spatial.Pose{}, spatial.Twist{}) // a rotation that is none
		},
	} {
		r := start(t, match(2, mixed))
		r.step()
		place(r)
		err := r.Engine.Step(r.commands)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("Step = %v, want %q", err, want)
		}
		if again := r.Engine.Step(r.commands); again != err {
			t.Errorf("the next step: %v", again)
		}
		r.Close()
		start(t, match(2, mixed)).run(0.1) // others go on
	}
}

func TestClosedEngine(t *testing.T) {
	e, err := New(match(2, mixed))
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	e.Close()
	e.PlaceBall(mgl64.Vec3{}, spatial.Twist{})
	if err := e.Step(make([]physics.Command, 2)); err != errClosed {
		t.Errorf("Step = %v", err)
	}
	var s physics.Snapshot
	if e.Snapshot(&s); len(s.Robots) != 2 {
		t.Errorf("snapshot of %d robots", len(s.Robots))
	}
}

// Ten robots that drive circles, and a ball.
func BenchmarkStep(b *testing.B) {
	for _, level := range levels {
		b.Run(string(level), func(b *testing.B) {
			scene := match(10, func(int) physics.DriveLevel { return level })
			scene.Obstacles = nil
			r := start(b, scene)
			for i := range r.commands {
				r.commands[i].TwistB = physics.PlanarTwist{VX: 1, Omega: 1.5}
			}
			benchmark(b, r)
		})
	}
}

// So many robots that all push to the middle, with either solver.
func BenchmarkPile(b *testing.B) {
	for _, n := range []int{10, 20, 40} {
		for name, most := range map[string]int{"exact": 1 << 30, "iterative": 0} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				r := start(b, match(n, func(int) physics.DriveLevel { return physics.WheelsDrive }))
				r.run(2, r.rush)
				r.world.setPile(most)
				benchmark(b, r, r.rush)
				b.ReportMetric(float64(r.world.contacts()), "contacts")
			})
		}
	}
}

// rush sends every robot to the field's centre.
func (r *rig) rush() {
	for i := range r.commands {
		b := r.s.Robots[i].PoseWB.Unrotate(r.s.Robots[i].PoseWB.Pos)
		r.commands[i].TwistB = physics.PlanarTwist{VX: -3 * b[0], VY: -3 * b[1]}
	}
}

func benchmark(b *testing.B, r *rig, each ...func()) {
	r.run(1, each...)
	b.ReportAllocs()
	for b.Loop() {
		r.step()
		for _, f := range each {
			f()
		}
	}
}
