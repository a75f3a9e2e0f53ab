package optics

// Lens returns a camera's intrinsics and distortion, with the name and the order of ROS's camera_info: plumb_bob,
// rational_polynomial or equidistant. A lens of the sphere model, for which ROS has no name, is called mei, with ξ, k1,
// k2, p1, p2. For mirrors and polynomials the name is empty, and the intrinsics contain only the size. Source:
// sensor_msgs/distortion_models.h.
func Lens(m Model) (p Pinhole, name string, d []float64) {
	switch m := m.(type) {
	case Pinhole:
		return m, "plumb_bob", make([]float64, 5)
	case BrownConrady:
		c := m.Distortion
		d = []float64{c.K1, c.K2, c.P1, c.P2, c.K3}
		if c.K4 != 0 || c.K5 != 0 || c.K6 != 0 {
			return m.Pinhole, "rational_polynomial", append(d, c.K4, c.K5, c.K6)
		}
		return m.Pinhole, "plumb_bob", d
	case KannalaBrandt:
		return m.Pinhole, "equidistant", []float64{m.K1, m.K2, m.K3, m.K4}
	case Unified:
		return m.Pinhole, "mei", []float64{m.Xi, m.Distortion.K1, m.Distortion.K2, m.Distortion.P1, m.Distortion.P2}
	}
	p.Width, p.Height = m.Size()
	return p, "", nil
}
