package bench

import (
	"fmt"
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
		benchmarkOmni(b, fmt.Sprint(robots), crowd(robots, false))
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
