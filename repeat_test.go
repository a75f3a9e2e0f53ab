package omnipitch

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// drive runs a world with commands and returns the hash of its last state.
func drive(t testing.TB, seed uint64) uint64 {
	sim, _ := attack(t, func(w *worlds.World) { w.Seed = seed })
	var noise float64
	sim.Listen("cyan1", "imu",
		Listener{Observe: func(o *sensors.Observation) { noise += o.Reading.(*sensors.IMUReading).AccelS[0] }})
	for n := range 600 {
		sim.Do(&action.Drive{Robot: "cyan1", VX: 2, Omega: float64(n%50) / 20})
		sim.Do(&action.Drive{Robot: "magenta1", VY: float64(n%100)/50 - 1})
		steps(t, sim, 1)
	}
	return sim.Truth().Hash() ^ uint64(int64(noise*1e9))
}

const hashEnv = "OMNIPITCH_TEST_PRINT_HASH"

func TestTwoProcessesReachTheSameState(t *testing.T) {
	want := drive(t, 7)
	if os.Getenv(hashEnv) != "" {
		fmt.Printf("hash=%x\n", want)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestTwoProcessesReachTheSameState$")
	cmd.Env = append(os.Environ(), hashEnv+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("hash=%x\n", want)) {
		t.Errorf("another process: %v\n%s\nwant hash=%x", err, out, want)
	}
	if drive(t, 8) == want {
		t.Error("another seed gives the same noise")
	}
}

// The number and levels of the sensors do not change the motion of bodies, on either engine.
func TestSensorsLeaveThePhysicsAlone(t *testing.T) {
	for _, engine := range []string{"ode", "planar"} {
		var hashes []uint64
		for _, sensing := range []func(*worlds.World){
			func(*worlds.World) {},
			func(w *worlds.World) {
				for i := range w.Robots {
					w.Robots[i].Sensors = nil
				}
			},
			func(w *worlds.World) {
				for i := range w.Robots {
					for j := range w.Robots[i].Sensors {
						w.Robots[i].Sensors[j].Level = abstraction.Truth
					}
				}
			},
		} {
			sim, _ := attack(t, func(w *worlds.World) {
				w.Physics.Engine = engine
				sensing(w)
			})
			for _, r := range sim.World().Robots {
				for _, c := range r.Sensors {
					if _, err := sim.Listen(r.Name, c.Name,
						Listener{Observe: func(*sensors.Observation) {}}); err != nil {
						t.Fatal(err)
					}
				}
			}
			for n := range 200 {
				sim.Do(&action.Drive{Robot: "cyan1", VX: 2, Omega: float64(n%50) / 20})
				steps(t, sim, 1)
			}
			hashes = append(hashes, sim.Truth().Hash())
		}
		if hashes[0] != hashes[1] || hashes[0] != hashes[2] {
			t.Errorf("%s: hashes %x", engine, hashes)
		}
	}
}

// The perception of cameras is the same from a worker and from the goroutine that steps. It is also the same with a new
// Cache and with the Cache of other worlds, with robots of the same and of other appearance.
func TestPerceptionIsTheSameHoweverItIsComputed(t *testing.T) {
	used := &Cache{}
	for _, name := range []string{"planar", "drives", "nubot-attack"} {
		w, err := worlds.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Robots[0].Body.Radius *= 0.9
		perceived(t, w, Options{Cache: used}, 0)
	}
	want := perceived(t, nil, Options{}, 60)
	for name, opts := range map[string]Options{"no worker": {NoWorker: true}, "a cache": {Cache: used},
		"the same cache again": {Cache: used, NoWorker: true}} {
		if got := perceived(t, nil, opts, 60); len(want) < 30 || !slices.Equal(got, want) {
			t.Errorf("%s: %d observations, otherwise %d, which are not the same", name, len(got), len(want))
		}
	}
}

// perceived returns the perception of cameras at levels without images, in n steps of a world; nil means nubot-attack.
func perceived(t *testing.T, w *worlds.World, opts Options, n int) (all []string) {
	t.Helper()
	if w == nil {
		var err error
		if w, err = worlds.Load("nubot-attack"); err != nil {
			t.Fatal(err)
		}
	}
	for r := range w.Robots {
		for j := range w.Robots[r].Sensors {
			if c := &w.Robots[r].Sensors[j]; c.Kind.TakesImages() {
				c.Level = []abstraction.Level{abstraction.Objects, abstraction.Features, abstraction.Truth}[min(r, 2)]
			}
		}
	}
	sim, err := New(w, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	for _, r := range w.Robots {
		sim.Do(&action.Drive{Robot: r.Name, VX: 0.5, Omega: 1})
		for _, c := range r.Sensors {
			if !c.Kind.TakesImages() || r.Name == "magenta1" && c.Kind == sensors.OmniKind { // its features take long
				continue
			}
			if _, err := sim.Listen(r.Name, c.Name, Listener{Observe: func(o *sensors.Observation) {
				what := fmt.Sprint(o.Robot, o.Sensor, o.Stamp, sim.Truth().Time)
				if o.Objects != nil {
					what += fmt.Sprintf("%+v", *o.Objects)
				}
				if o.Features != nil {
					what += fmt.Sprintf("%+v", *o.Features)
				}
				all = append(all, what)
			}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	steps(t, sim, n)
	return all
}
