package occupancy

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// around is how far a map reaches beyond the floor, and the thickness of boards in it, m.
const around = 0.2

// Of returns the map of everything in a world that never moves and that a laser meets at a height. The map covers the
// floor and a strip around it. Free are the cells that robots reach from where they start. Cells that nothing reaches
// are unknown. Lengths are in metres.
func Of(model *physics.Model, height, resolution float64) (*Grid, error) {
	if !(resolution >= 0.005 && resolution <= 1) {
		return nil, fmt.Errorf("resolution = %v: must lie in [0.005, 1] m", resolution)
	}
	if !(height >= 0 && height <= 20) {
		return nil, fmt.Errorf("height = %v: must lie in [0, 20] m", height)
	}
	f := &model.Field
	most := mgl64.Vec2{f.Length/2 + f.Border + around, f.Width/2 + f.Border + around}
	g, err := New(most.Mul(-1), most, resolution)
	if err != nil {
		return nil, err
	}
	for _, b := range model.StaticBoxes() {
		top := b.Max[2]
		switch b.Material {
		case physics.Net: // beams pass through
			continue
		case physics.Board:
			top = b.BallTop
		}
		if b.Min[2] > height || height > top {
			continue
		}
		lo, hi := mgl64.Vec3(b.Min), mgl64.Vec3(b.Max)
		g.Draw(&spatial.UprightBox{Centre: lo.Add(hi).Mul(0.5), Half: hi.Sub(lo).Mul(0.5), Heading: b.Heading,
			Round: b.Round})
	}
	for i := range model.Robots {
		if r := &model.Robots[i]; !r.Absent {
			g.Free(mgl64.Vec2{r.Pose.Pos[0], r.Pose.Pos[1]})
		}
	}
	return g, nil
}
