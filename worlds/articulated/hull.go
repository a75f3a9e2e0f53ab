package articulated

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// placed is a shape at a pose.
type placed struct {
	*Collision
	link    int
	poseRS  spatial.Pose // R: the frame of the root link
	corners []mgl64.Vec3 // of a mesh, in the frame R
}

// support returns how far the shape reaches in a direction from the origin of R, m. dir is a unit vector.
func (p *placed) support(dir mgl64.Vec3) float64 {
	d := p.poseRS.Unrotate(dir)
	centre := p.poseRS.Pos.Dot(dir)
	switch p.Shape {
	case Box:
		return centre + (math.Abs(d[0])*p.Size[0]+math.Abs(d[1])*p.Size[1]+math.Abs(d[2])*p.Size[2])/2
	case Cylinder:
		return centre + math.Abs(d[2])*p.Length/2 + math.Hypot(d[0], d[1])*p.Radius
	case Sphere:
		return centre + p.Radius
	case Capsule:
		return centre + math.Abs(d[2])*p.Length/2 + p.Radius
	case Ellipsoid:
		return centre + mgl64.Vec3{d[0] * p.Size[0], d[1] * p.Size[1], d[2] * p.Size[2]}.Len()/2
	}
	most := math.Inf(-1)
	for _, c := range p.corners {
		most = max(most, c.Dot(dir))
	}
	return most
}

// rimPoints is the number of points by which the rim of a cylinder is measured that is oblique to an axis.
const rimPoints = 64

// reach returns the largest distance of the shape from the line through a point along a unit vector, m.
func (p *placed) reach(point, along mgl64.Vec3) float64 {
	distance := func(at mgl64.Vec3) float64 { return at.Sub(point).Cross(along).Len() }
	d := p.poseRS.Unrotate(along)
	if p.Shape == Sphere || p.Shape == Cylinder && math.Hypot(d[0], d[1]) < 1e-4 {
		return distance(p.poseRS.Pos) + p.Radius
	}
	corners := p.corners
	switch p.Shape {
	case Capsule:
		end := p.poseRS.Rotate(mgl64.Vec3{0, 0, p.Length / 2})
		return max(distance(p.poseRS.Pos.Add(end)), distance(p.poseRS.Pos.Sub(end))) + p.Radius
	case Ellipsoid:
		return p.around(point, along)
	case Box:
		for i := range 8 {
			corner := mgl64.Vec3{float64(i&1) - 0.5, float64(i>>1&1) - 0.5, float64(i>>2) - 0.5}
			for k := range corner {
				corner[k] *= p.Size[k]
			}
			corners = append(corners, p.poseRS.Apply(corner))
		}
	case Cylinder:
		for i := range rimPoints {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / rimPoints)
			for _, z := range []float64{-p.Length / 2, p.Length / 2} {
				corners = append(corners, p.poseRS.Apply(mgl64.Vec3{p.Radius * cos, p.Radius * sin, z}))
			}
		}
	}
	most := 0.0
	for _, c := range corners {
		most = max(most, distance(c))
	}
	return most
}

// around returns an upper bound of the reach of an ellipsoid: the largest of its supports across the line.
func (p *placed) around(point, along mgl64.Vec3) float64 {
	across := along.Cross(mgl64.Vec3{0, 0, 1})
	if across.Len() < 0.5 {
		across = along.Cross(mgl64.Vec3{1, 0, 0})
	}
	across = across.Normalize()
	most := 0.0
	for i := range rimPoints {
		dir := mgl64.QuatRotate(2*math.Pi*float64(i)/rimPoints, along).Rotate(across)
		most = max(most, p.support(dir)-point.Dot(dir))
	}
	return most
}

// bodies returns the shapes that touch others, at poses of the links: of each link its collisions, or its visual shapes
// if it has no collisions and is a wheel. A robot without any collisions has all its visual shapes instead.
func (r *Robot) bodies(poses []spatial.Pose, wheel []bool, meshes Meshes) (all []placed, err error) {
	none := true
	for i := range r.Links {
		none = none && len(r.Links[i].Collisions) == 0
	}
	for i := range r.Links {
		l := &r.Links[i]
		shapes := l.Collisions
		if none || len(shapes) == 0 && wheel[i] {
			for k := range l.Visuals {
				shapes = append(shapes, l.Visuals[k].Collision)
			}
		}
		for k := range shapes {
			c := &shapes[k]
			p := placed{Collision: c, link: i, poseRS: poses[i].Mul(c.PoseLS)}
			if c.Shape == Mesh {
				if p.corners, err = r.corners(c, p.poseRS, meshes); err != nil {
					return nil, err
				}
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// corners returns the vertices of a mesh in the frame R.
func (r *Robot) corners(c *Collision, poseRS spatial.Pose, meshes Meshes) (all []mgl64.Vec3, err error) {
	m, err := meshes(c.File)
	if err != nil {
		return nil, r.fault(c.Place, "mesh %q: %v", c.File, err)
	}
	for i := range m.Parts {
		part := &m.Parts[i]
		for _, v := range m.Meshes[part.Mesh].Vertices {
			p := part.PoseBP.Apply(spatial.Vec64(v.Pos))
			for k := range p {
				p[k] *= c.Scale[k]
			}
			all = append(all, poseRS.Apply(p))
		}
	}
	return all, nil
}

// mass returns the mass of the robot in kg, its centre in the frame R, and its moment of inertia about the vertical
// axis through that centre.
func (r *Robot) mass(poses []spatial.Pose) (mass float64, centre mgl64.Vec3, inertiaZ float64) {
	for i := range r.Links {
		if in := r.Links[i].Inertial; in != nil {
			mass += in.Mass
			centre = centre.Add(poses[i].Mul(in.PoseLC).Pos.Mul(in.Mass))
		}
	}
	if mass == 0 {
		return 0, mgl64.Vec3{}, 0
	}
	centre = centre.Mul(1 / mass)
	for i := range r.Links {
		in := r.Links[i].Inertial
		if in == nil {
			continue
		}
		poseRC := poses[i].Mul(in.PoseLC)
		z := poseRC.Unrotate(mgl64.Vec3{0, 0, 1})
		off := poseRC.Pos.Sub(centre)
		inertiaZ += z.Dot(in.Tensor().Mul3x1(z)) + in.Mass*(off[0]*off[0]+off[1]*off[1])
	}
	return mass, centre, inertiaZ
}
