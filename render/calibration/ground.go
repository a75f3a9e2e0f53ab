package calibration

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Ground is team NuBot's model of a mirror camera with an upright axis. A pixel has polar coordinates (ρ, φ) around the
// image's centre, with rows counted downwards. The pixel shows the floor at the distance a·tan(b·ρ) from the axis, in
// the direction φ. The robot's front is at φ = 0 and its left at φ = π/2. Source: the team's published software.
type Ground struct {
	Width, Height           int
	CenterColumn, CenterRow float64 // pixels
	A                       float64 // metres
	B                       float64 // radians per pixel
	MaxRadius               float64 // largest ρ of a pixel that shows the floor within Reach, pixels
	Reach                   float64 // distance from the axis of the farthest point of the fit, metres
	// CorrectionX and CorrectionY are the offset from the axis to the robot's centre, metres: to the right in the
	// image, and down in the image.
	CorrectionX, CorrectionY float64
	Residual                 // residual in metres on the floor, after removing a rotation about the axis
}

// FitGround fits the floor up to reach metres from the axis, for a camera at poseBC. It fails for a camera that does
// not look up into a mirror.
func FitGround(rays Rays, poseBC spatial.Pose, reach float64) (Ground, error) {
	g := Ground{Width: rays.Width, Height: rays.Height, Reach: reach}
	up := poseBC.Unrotate(mgl64.Vec3{0, 0, 1})
	if !Upright(poseBC) || up[2] < 0 || middle(rays).DirC[2] >= 0 {
		return g, errors.New("the image's middle does not show the robot below: the ground law is for a camera " +
			"under a mirror")
	}
	// Frame L is at the camera's viewpoint. Its z axis points up. Its x axis points to the right in the image, and its
	// y axis down in the image.
	rotLC := mgl64.QuatBetweenVectors(up, mgl64.Vec3{0, 0, 1})
	level := Rays{Width: rays.Width, Height: rays.Height}
	var floor []mgl64.Vec2 // floor points relative to the point below the viewpoint, metres
	for _, r := range rays.All {
		d := rotLC.Rotate(r.DirC)
		level.All = append(level.All, Ray{r.U, r.V, d})
		at := mgl64.Vec2{math.Inf(1), 0}
		if d[2] < 0 {
			at = mgl64.Vec2{d[0], d[1]}.Mul(poseBC.Pos[2] / -d[2])
		}
		floor = append(floor, at)
	}
	var o OCam
	o.findCentre(level)
	g.CenterColumn, g.CenterRow = o.CenterColumn, o.CenterRow
	centre := rotLC.Rotate(poseBC.Unrotate(mgl64.Vec3{-poseBC.Pos[0], -poseBC.Pos[1], 0}))
	g.CorrectionX, g.CorrectionY = centre[0], centre[1]
	// distance of a pixel from the image's centre, and distance from the axis of the floor that the pixel shows
	type seen struct{ rho, ground float64 }
	var all []seen
	for i, r := range rays.All {
		if d := floor[i].Len(); d <= reach {
			all = append(all, seen{math.Hypot(r.U-g.CenterColumn, r.V-g.CenterRow), d})
			g.MaxRadius = math.Max(g.MaxRadius, all[len(all)-1].rho)
		}
	}
	if len(all) < 20 {
		return g, errors.New("too little of the floor is visible")
	}
	// The weights are those of the node. A straight path along the floor crosses the same number of lines in each
	// metre, and the node weights a line at the distance d by 1/(1 + (d/2.5 m)²).
	slices.SortFunc(all, func(a, b seen) int { return cmp.Compare(a.ground, b.ground) })
	weight := make([]float64, len(all))
	for i := range all {
		metres := all[min(i+1, len(all)-1)].ground - all[max(i-1, 0)].ground
		weight[i] = math.Sqrt(metres / (1 + math.Pow(all[i].ground/2.5, 2)))
	}
	params := minimise([]float64{poseBC.Pos[2] * 2, 1 / g.MaxRadius}, len(all), func(x, out []float64) {
		for i, s := range all {
			out[i] = weight[i] * (x[0]*math.Tan(x[1]*s.rho) - s.ground)
		}
	})
	g.A, g.B = params[0], params[1]
	var left []float64
	for i, r := range rays.All {
		if floor[i].Len() <= reach {
			left = append(left, g.Floor(r.U, r.V).Sub(floor[i]).Len())
		}
	}
	g.Residual = residualOf(left)
	return g, nil
}

// Floor returns the floor point that a pixel shows according to the model, relative to the axis in metres: to the right
// in the image, and down in the image.
func (g *Ground) Floor(u, v float64) mgl64.Vec2 {
	offset := mgl64.Vec2{u - g.CenterColumn, v - g.CenterRow}
	rho := offset.Len()
	if rho == 0 {
		return offset
	}
	return offset.Mul(g.A * math.Tan(g.B*rho) / rho)
}
