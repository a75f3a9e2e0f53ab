package omnipitch

import (
	"fmt"
	"os"
	"os/exec"
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
