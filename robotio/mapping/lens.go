package mapping

import "github.com/omnipitch/omnipitch/render/optics"

// Lens is what CameraInfo tells of a camera.
type Lens struct {
	model         string
	d             []float64
	k             [9]float64
	p             [12]float64
	width, height int
	pinhole       optics.Pinhole // of a depth camera
}

// LensOf describes a camera as ROS does: plumb_bob, rational_polynomial or equidistant; a lens of the sphere model, for which ROS has no
// name, is mei with D = ξ, k1, k2, p1, p2. A mirror gets no distortion model.
func LensOf(model optics.Model) Lens {
	var p optics.Pinhole
	var name string
	var d []float64
	switch m := model.(type) {
	case optics.Pinhole:
		p, name, d = m, "plumb_bob", make([]float64, 5)
	case optics.BrownConrady:
		c := m.Distortion
		p, name, d = m.Pinhole, "plumb_bob", []float64{c.K1, c.K2, c.P1, c.P2, c.K3}
		if c.K4 != 0 || c.K5 != 0 || c.K6 != 0 {
			name, d = "rational_polynomial", append(d, c.K4, c.K5, c.K6)
		}
	case optics.KannalaBrandt:
		p, name, d = m.Pinhole, "equidistant", []float64{m.K1, m.K2, m.K3, m.K4}
	case optics.Unified:
		p, name, d = m.Pinhole, "mei", []float64{m.Xi, m.Distortion.K1, m.Distortion.K2, m.Distortion.P1, m.Distortion.P2}
	default:
		p.Width, p.Height = model.Size()
	}
	return Lens{
		width: p.Width, height: p.Height, model: name, d: d, pinhole: p,
		k: [9]float64{p.FX, 0, p.CX, 0, p.FY, p.CY, 0, 0, 1},
		p: [12]float64{p.FX, 0, p.CX, 0, 0, p.FY, p.CY, 0, 0, 0, 1, 0},
	}
}
