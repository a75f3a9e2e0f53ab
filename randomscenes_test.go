package omnipitch

import (
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// cyan1 finds the ball in every random scene; omnipitch test random-scenes --seeds 1..200 tests more of them.
func TestTheBallIsFoundInRandomScenes(t *testing.T) {
	for seed := range uint64(15) {
		if failed, _ := failures(t, "random-scenes", seed, nil); failed != nil {
			t.Errorf("seed %d: %v", seed, failed)
		}
	}
}

// Each expectation of random-scenes fails in a world that is broken in the corresponding way.
func TestRandomScenesNoticeWhatIsBroken(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*worlds.World)
		want   []string
	}{
		"a broken camera": {also(0, action.Choice{BreakSensor: &action.BreakSensor{Robot: "cyan1", Sensor: "omni",
			Fault: "off"}}), []string{"ball_found"}},
		"a hidden ball": {func(w *worlds.World) {
			for i := range w.Robots {
				w.Robots[i].Pose = worlds.Pose{X: float64(i), Y: 5}
			}
			w.Robots[0].Pose = worlds.Pose{}
			w.Ball.X, w.Ball.Y, w.Ball.VX, w.Ball.VY = 2, 0, 0, 0
			w.Obstacles = w.Obstacles[:1]
			w.Obstacles[0].Pose, w.Obstacles[0].Hull.SizeY = worlds.Pose{X: 1}, 1.2
		}, []string{"ball_found"}},
		"another that moves": {also(0.5, action.Choice{Drive: &action.Drive{Robot: "cyan2", VX: 1}}),
			[]string{"others_stay"}},
	} {
		if got, _ := failures(t, "random-scenes", 7, c.change); !slices.Equal(got, c.want) {
			t.Errorf("%s: fails %v, want %v", name, got, c.want)
		}
	}
}
