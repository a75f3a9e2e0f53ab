package omnipitch

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/stage"
	"github.com/omnipitch/omnipitch/worlds"
)

// looks tells the stage what each robot's sensors add to its appearance.
func looks(w *worlds.World) []stage.Look {
	all := make([]stage.Look, len(w.Robots))
	for i := range w.Robots {
		r := &w.Robots[i]
		look := stage.Look{Keeper: r.Kicker == nil}
		for j := range r.Sensors {
			c := &r.Sensors[j]
			switch c.Kind {
			case sensors.OmniCamera:
				if m, err := c.Catadioptric(); err == nil { // else the sensor itself says why
					look.OmniFocusZ, look.Mirror = c.Mount.Z, m
				}
			case sensors.Camera, sensors.Kinect:
				look.Cameras = append(look.Cameras, c.Mount.Pose().Mul(spatial.BodyToOptical()))
			}
		}
		all[i] = look
	}
	return all
}

// boards tells the stage which chessboards hang where.
func boards(w *worlds.World) []stage.Board {
	all := make([]stage.Board, len(w.Boards))
	for i := range w.Boards {
		b := &w.Boards[i]
		all[i] = stage.Board{Name: b.Name, Columns: b.Columns, Rows: b.Rows, Square: b.Square, PoseWB: b.Hang.Spatial()}
	}
	return all
}
