package raster_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// BenchmarkPreparation computes what a camera of world ten-robots shows, tile by tile, as a rasteriser does before it
// draws an image.
func BenchmarkPreparation(b *testing.B) {
	w, err := worlds.Load("ten-robots")
	if err != nil {
		b.Fatal(err)
	}
	model := w.Model()
	s := scenery.New(w, model)
	now := model.Start()
	poses := s.Poses(now, nil)
	geometry := raster.Bake(s.Scene)
	marks, err := raster.NewMarks(&s.Scene.Floor, s.Scene.Room.Margin)
	if err != nil {
		b.Fatal(err)
	}
	lights := raster.NewLightMap(s.Scene)
	lights.Shade(geometry.Bodies, poses, true)
	lights.Shade(geometry.Bodies, poses, false)
	const robot = 1
	for i, cfg := range w.Robots[robot].Sensors {
		if cfg.Kind != sensors.OmniKind && cfg.Kind != sensors.CameraKind {
			continue
		}
		sensor, err := sensors.New(&cfg, s.Site(robot, w.Robots[robot].Sensors, i))
		if err != nil {
			b.Fatal(err)
		}
		view := sensor.(*sensors.Camera).View(abstraction.Raw, &sensors.Instant{Snapshot: now, Robot: robot})
		var c raster.Camera
		var visible raster.Visibility
		var tiling raster.Tiling
		b.Run(cfg.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Set(&view, nil)
				visible.Collect(geometry.Bodies, poses, &c, view.Hidden)
				tiling.Sort(&c, marks, &lights)
			}
		})
	}
	b.Run("shade", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			lights.Shade(geometry.Bodies, poses, false)
		}
	})
}
