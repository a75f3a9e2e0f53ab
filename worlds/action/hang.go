package action

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Hang moves a board to a pose in the air.
type Hang struct {
	Name string `toml:"name" required:"true" doc:"name of a board"`
	PoseInAir
}

func (h *Hang) Validate(w World) error { return violation("name", h.Name, w.FindBoard(h.Name)) }
func (h *Hang) Do(s Simulation) error  { return s.Hang(h.Name, h.Spatial()) }

// PoseInAir is a pose anywhere in the world. The side of a board that has the image faces along the x axis of the pose.
type PoseInAir struct {
	X     float64 `toml:"x_m" range:"[-50, 50]"`
	Y     float64 `toml:"y_m" range:"[-50, 50]"`
	Z     float64 `toml:"z_m" range:"[0, 20]"`
	Roll  float64 `toml:"roll_deg" range:"[-360, 360]" doc:"rotation about x, applied first"`
	Pitch float64 `toml:"pitch_deg" range:"[-360, 360]" doc:"rotation about y, applied second; positive looks down"`
	Yaw   float64 `toml:"yaw_deg" range:"[-360, 360]" doc:"rotation about z, applied last"`
}

// Spatial returns the pose in W.
func (p PoseInAir) Spatial() spatial.Pose {
	return spatial.RPY(mgl64.Vec3{p.X, p.Y, p.Z}, p.Roll, p.Pitch, p.Yaw)
}
