package bench

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// BenchmarkRobots measures the raw image of a mirror camera against the number of robots on the field, for the tile
// renderer and OpenGL.
func BenchmarkRobots(b *testing.B) {
	for _, robots := range []int{1, 5, 10, 50} {
		benchmarkOmni(b, fmt.Sprint(robots), crowd(robots))
	}
}

// BenchmarkPixels measures the raw image of a mirror camera against its width in pixels.
func BenchmarkPixels(b *testing.B) {
	for _, width := range []int{160, 640, 1280} {
		benchmarkOmni(b, fmt.Sprint(width), func(w *worlds.World) {
			for i := range w.Robots[0].Sensors {
				if c := &w.Robots[0].Sensors[i]; c.Image != nil {
					image := *c.Image
					image.Width, image.Height = width, width*image.Height/image.Width
					c.Image = &image
				}
			}
		})
	}
}

// benchmarkOmni renders the first robot's mirror camera in a modified world ten-robots.
func benchmarkOmni(b *testing.B, name string, change func(*worlds.World)) {
	scene, err := openStills("ten-robots", change)
	must.Do(b, err)
	image := scene.of[stillOf{scene.world.Robots[0].Name, "omni", abstraction.Raw}]
	for _, renderer := range []string{"tile", "opengl"} {
		r, err := backend.Choose(renderer, scene.scene).New(scene.scene)
		if err != nil {
			b.Logf("%s: %v", renderer, err)
			continue
		}
		draw := scene.draw(r, image)
		b.Run(name+"/"+renderer, func(b *testing.B) {
			for b.Loop() {
				must.Do(b, draw())
			}
		})
		r.Close()
	}
}

// crowd returns a change that puts n robots on the field, at least 0.9 m from each other and from the ball. Only the
// first has sensors. Positions form a low-discrepancy sequence, the powers of the plastic number. Source: Roberts
// (2018), The unreasonable effectiveness of quasirandom sequences.
func crowd(n int) func(*worlds.World) {
	return func(w *worlds.World) {
		robot := w.Robots[1]
		w.Robots = nil
		poses := []worlds.Pose{{X: w.Ball.X, Y: w.Ball.Y}}
		for i := 1; len(w.Robots) < n; i++ {
			_, u := math.Modf(0.7548776662466927 * float64(i))
			_, v := math.Modf(0.5698402909980532 * float64(i))
			pose := worlds.Pose{X: (u - 0.5) * (w.Field.Length - 1), Y: (v - 0.5) * (w.Field.Width - 1),
				Heading: 2 * math.Pi * u}
			if slices.ContainsFunc(poses, func(p worlds.Pose) bool {
				return math.Hypot(p.X-pose.X, p.Y-pose.Y) < 0.9
			}) {
				continue
			}
			poses = append(poses, pose)
			r := robot
			r.Name, r.Number, r.Pose = fmt.Sprintf("robot%d", len(poses)-1), len(poses), pose
			if len(w.Robots) > 0 {
				r.Sensors = nil
			}
			w.Robots = append(w.Robots, r)
		}
	}
}
