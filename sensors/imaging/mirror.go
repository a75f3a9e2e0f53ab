package imaging

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Methods of rendering a mirror: [Mirror].Method.
const (
	MirrorDirect  = "direct"
	MirrorCube    = "cube"
	MirrorRaycast = "raycast"
)

// Mirror is the mirror into which an omni camera looks up. The profile determines which dimensions apply. The sensor's
// mount is the mirror's viewpoint: the point from which its rays seem to come. For a hyperbolic mirror it is the inner
// focus.
type Mirror struct {
	Profile   string    `toml:"profile" oneof:"hyperbolic|parabolic|spherical|ground|isometric|table" doc:"shape: hyperbolic has a single viewpoint; ground images the floor by a tangent law, isometric to scale; table is measured"`
	Method    string    `toml:"method" oneof:"direct|cube|raycast" doc:"direct and cube render a mirror without a single viewpoint as if it had one, which is exact only for the floor; cube renders through a cube map, blurred, only with OpenGL; raycast is exact"`
	CubeFace  int       `toml:"face_px" range:"[0, 4096]" doc:"for method cube, size of the cube's faces; 0 for the mirror's own resolution at the horizon"`
	RimRadius float64   `toml:"rim_radius_m" range:"(0, 0.5]" doc:"radius of the rim"`
	K         float64   `toml:"k" range:"[0, 1000]" doc:"hyperbolic: shape, above 2 (Baker and Nayar); larger is more curved"`
	C         float64   `toml:"c_m" range:"[0, 1]" doc:"hyperbolic: distance between the foci; the outer one is at the lens"`
	Distance  float64   `toml:"distance_m" range:"[0, 2]" doc:"others: distance from the lens to the mirror's tip"`
	Radius    float64   `toml:"radius_m" range:"[0, 2]" doc:"parabolic, spherical: radius of curvature at the tip"`
	A         float64   `toml:"a_m" range:"[0, 100]" doc:"ground: a pixel at the distance rho from the centre shows the floor at the distance a tan(b rho)"`
	B         float64   `toml:"b_rad_px" range:"[0, 1]" doc:"ground: b, radians per pixel"`
	Scale     float64   `toml:"scale_m_px" range:"[0, 1]" doc:"isometric: metres of floor per pixel"`
	R         []float64 `toml:"r_m" doc:"table: distances from the axis, from 0"`
	Z         []float64 `toml:"z_m" doc:"table: heights of the surface there"`
}

// Validate reports violations of rules that involve several fields.
func (m *Mirror) Validate(violate func(field string, value any, rule string)) {
	if m.CubeFace > 0 && m.Method != MirrorCube {
		violate("CubeFace", m.CubeFace, `must be 0 unless {Method} is "cube"`)
	}
}

// needs returns the values, by key, of the dimensions that the profile requires. The argument is the height of the
// sensor's mount above the floor, in m.
func (m *Mirror) needs(height float64) map[string]float64 {
	switch m.Profile {
	case "parabolic", "spherical":
		return map[string]float64{"distance_m": m.Distance, "radius_m": m.Radius}
	case "ground":
		return map[string]float64{"distance_m": m.Distance, "a_m": m.A, "b_rad_px": m.B, "mount.z_m": height}
	case "isometric":
		return map[string]float64{"distance_m": m.Distance, "scale_m_px": m.Scale, "mount.z_m": height}
	case "table":
		return map[string]float64{"distance_m": m.Distance}
	}
	return map[string]float64{"c_m": m.C}
}

// Camera returns the model of the camera p under the mirror. The argument height is the height of the mirror's
// viewpoint above the floor, in m. Camera returns an error if a dimension that the profile requires is missing or
// impossible.
func (m *Mirror) Camera(p optics.Pinhole, height float64) (optics.Catadioptric, error) {
	needs := m.needs(height)
	for _, key := range slices.Sorted(maps.Keys(needs)) {
		if !(needs[key] > 0) {
			return nil, fmt.Errorf("%s must be positive for profile %s", key, m.Profile)
		}
	}
	switch m.Profile {
	case "parabolic":
		return catadioptric(optics.NewMirror(p, optics.Paraboloid{Radius: m.Radius}, m.Distance, m.RimRadius))
	case "spherical":
		return catadioptric(optics.NewMirror(p, optics.Sphere{Radius: m.Radius}, m.Distance, m.RimRadius))
	case "ground":
		return catadioptric(optics.NewGroundMirror(p, optics.TangentLaw(m.A, m.B), height, m.Distance, m.RimRadius))
	case "isometric":
		return catadioptric(optics.NewGroundMirror(p, optics.LinearLaw(m.Scale), height, m.Distance, m.RimRadius))
	case "table":
		t, err := optics.NewTable(m.R, m.Z)
		if err != nil {
			return nil, err
		}
		return catadioptric(optics.NewMirror(p, t, m.Distance, m.RimRadius))
	}
	if !(m.K > 2) {
		return nil, fmt.Errorf("k must be larger than 2 for profile %s", m.Profile)
	}
	return optics.Hyperbolic{Pinhole: p, K: m.K, C: m.C, RimRadius: m.RimRadius}, nil
}

// catadioptric returns m as an interface. On an error it returns a nil interface rather than an interface with a nil
// pointer.
func catadioptric(m *optics.Mirror, err error) (optics.Catadioptric, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// SetDefaults sets a hyperbolic mirror with ξ = 0.9, like those on robots of the league. At its rim the mirror shows
// 11° above the horizon. The values are guesses based on photographs. k follows from ξ = √(k(k−2))/(k−1).
func (m *Mirror) SetDefaults() {
	*m = Mirror{Profile: "hyperbolic", Method: MirrorDirect, K: 3.294, C: 0.1, RimRadius: 0.0683}
}

// CubeMapFace returns the width, in pixels, of the faces of the cube map from which the images of a camera under the
// mirror are made. It returns 0 if the images are not made from a cube map.
func (m *Mirror) CubeMapFace(camera optics.Catadioptric) int {
	switch {
	case m.Method != MirrorCube:
		return 0
	case m.CubeFace > 0:
		return m.CubeFace
	}
	return matchingFace(camera)
}

// matchingFace returns the width of a face, in pixels, with which the cube map is as sharp as the image. With this
// width, the centre of a face has as many pixels per radian as the image where its radial resolution is highest.
func matchingFace(camera optics.Catadioptric) int {
	cu, cv, _, _ := optics.Paraxial(camera)
	most := 0.0 // pixels per radian
	before, ok := camera.Unproject(cu, cv)
	for r := 1.0; ok && r < camera.RimPixels(); r++ {
		d, seen := camera.Unproject(cu+r, cv)
		if !seen || d[2] > 0 {
			break
		}
		most = math.Max(most, 1/d.Sub(before).Len())
		before = d
	}
	const step = 16 // pixels, the tile size of OpenGL rendering
	return min(max(int(math.Ceil(2*most/step)), 1)*step, render.MaxCubeFace)
}
