package articulated

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

// Meshes returns the content of a mesh file that a URDF names, in the axes of URDF, without a scale. A material of the
// zero value stands for none of its own.
type Meshes func(file string) (*render.Group, error)

// Numbers of flat sides by which round shapes are drawn. A sphere has 20·4^n triangles.
const (
	cylinderSides = 32
	sphereLevels  = 3
)

// bare is the reflectance of a surface without a material. It is a guess: light grey.
var bare = mgl32.Vec3{0.45, 0.45, 0.45}

// Look is the visual shapes of a robot at the joints' zero, in the frame of its base B on the floor. Parts have the
// names of their links.
type Look struct {
	Body   *render.Group   // the links that no joint moves
	Joints []*render.Group // what each joint of Moving moves
	// Team is the index of the material with the name TeamMaterial in Body, and then in each of Joints; −1 without it.
	Team []int
}

// TeamMaterial is the name of the material of shapes that have the colour of the robot's team.
const TeamMaterial = "team"

// Look returns the robot's visual shapes. The argument joints names the driven wheels.
func (r *Robot) Look(joints []string, meshes Meshes) (*Look, error) {
	s, err := r.stand(joints, meshes)
	if err != nil {
		return nil, err
	}
	moves, mover := r.movers()
	groups, team := make([]*render.Group, len(moves)+1), make([]int, len(moves)+1)
	for i := range groups {
		groups[i], team[i] = &render.Group{}, -1
	}
	poseBR := spatial.Translation(mgl64.Vec3{0, 0, -s.floor})
	for i := range r.Links {
		for k := range r.Links[i].Visuals {
			v := &r.Links[i].Visuals[k]
			of, poseBS := mover[i]+1, poseBR.Mul(s.poses[i]).Mul(v.PoseLS)
			if err := r.add(groups[of], &team[of], v, poseBS, r.Links[i].Name, meshes); err != nil {
				return nil, err
			}
		}
	}
	return &Look{groups[0], groups[1:], team}, nil
}

// add adds a visual shape to a group, in which team is the index of the material of the team.
func (r *Robot) add(g *render.Group, team *int, v *Visual, poseBS spatial.Pose, name string, meshes Meshes) error {
	paint := func(m render.Material) int {
		own := m == (render.Material{})
		if own {
			m = v.Material.surface()
		}
		if own && v.Material.Name == TeamMaterial {
			if *team < 0 {
				*team, g.Materials = len(g.Materials), append(g.Materials, m)
			}
			return *team
		}
		for i := range g.Materials {
			if i != *team && g.Materials[i] == m {
				return i
			}
		}
		g.Materials = append(g.Materials, m)
		return len(g.Materials) - 1
	}
	put := func(m render.Mesh, of render.Material, poseSP spatial.Pose) {
		g.Meshes = append(g.Meshes, m)
		g.Parts = append(g.Parts, render.Part{Mesh: len(g.Meshes) - 1, Material: paint(of), PoseBP: poseBS.Mul(poseSP),
			Name: name})
	}
	switch v.Shape {
	case Box:
		put(shapes.Box(v.Size[0], v.Size[1], v.Size[2]), render.Material{}, spatial.Identity())
	case Cylinder:
		put(shapes.Cylinder(v.Radius, v.Length, cylinderSides), render.Material{}, spatial.Identity())
	case Sphere:
		put(shapes.Sphere(v.Radius, sphereLevels), render.Material{}, spatial.Identity())
	case Capsule:
		put(capsule(v.Radius, v.Length), render.Material{}, spatial.Identity())
	case Ellipsoid:
		put(scaled(shapes.Sphere(0.5, sphereLevels), spatial.Identity(), v.Size), render.Material{}, spatial.Identity())
	case Mesh:
		m, err := meshes(v.File)
		if err != nil {
			return r.fault(v.Place, "mesh %q: %v", v.File, err)
		}
		for i := range m.Parts {
			p := &m.Parts[i]
			put(scaled(m.Meshes[p.Mesh], p.PoseBP, v.Scale), m.Materials[p.Material], spatial.Identity())
		}
	}
	return nil
}

// capsule returns a cylinder around z with a half sphere at each end.
func capsule(radius, length float64) render.Mesh {
	const steps = cylinderSides / 4 // from the tip of a half sphere to its rim
	var profile []mgl64.Vec2
	for i := range 2*steps + 2 {
		k, end := i, -length/2
		if i > steps {
			k, end = i-1, length/2
		}
		sin, cos := math.Sincos(math.Pi / 2 * float64(k-steps) / steps)
		profile = append(profile, mgl64.Vec2{radius * cos, end + radius*sin})
	}
	profile[0][0], profile[len(profile)-1][0] = 0, 0
	return shapes.Lathe(profile, cylinderSides)
}

// scaled returns a mesh at a pose, and then stretched along the axes. A mesh that is mirrored is turned inside out, so
// that its triangles face outwards.
func scaled(m render.Mesh, pose spatial.Pose, scale mgl64.Vec3) render.Mesh {
	if scale == (mgl64.Vec3{1, 1, 1}) && pose == spatial.Identity() {
		return m
	}
	out := shapes.Transform(m, pose)
	out.UV, out.Colors = m.UV, m.Colors
	for i := range out.Vertices {
		v := &out.Vertices[i]
		normal := mgl64.Vec3{}
		for k := range scale {
			v.Pos[k] *= float32(scale[k])
			normal[k] = float64(v.Normal[k]) / scale[k]
		}
		if l := normal.Len(); l > 0 && !math.IsInf(l, 0) {
			v.Normal = spatial.Vec32(normal.Mul(1 / l))
		}
	}
	if scale[0]*scale[1]*scale[2] < 0 {
		for t := 0; t < len(out.Indices); t += 3 {
			out.Indices[t+1], out.Indices[t+2] = out.Indices[t+2], out.Indices[t+1]
		}
	}
	return out
}

// surface returns the material as a renderer has it: matt plastic of its colour.
func (m *Material) surface() render.Material {
	color := bare
	if m.Color != nil {
		for k := range color {
			color[k] = float32(render.Linear(m.Color[k]))
		}
	}
	// reflects as paint and plastic do, with a refractive index of 1.5; the roughness is a guess
	return render.Material{Color: color, Gloss: 0.03, Shininess: 20, F0: mgl32.Vec3{0.04, 0.04, 0.04}, Roughness: 0.3}
}

// NotCarriedOver lists what the file has and a robot on the given driven wheels has not. The argument hidden says what
// images do not show of the meshes, by their names.
func (r *Robot) NotCarriedOver(joints []string, hidden map[string][]string) []markup.Note {
	all := (slices.Clone(r.Skipped))
	for i := range all {
		all[i].Places = slices.Clip(all[i].Places)
	}
	for i := range r.Joints {
		j := &r.Joints[i]
		driven := slices.Contains(joints, j.Name)
		if driven && (j.Damping != 0 || j.Friction != 0) {
			all.Add("damping and friction of driven joints", j.Place)
		}
	}
	for i := range r.Links {
		for k := range r.Links[i].Visuals {
			v := &r.Links[i].Visuals[k]
			if c := v.Material.Color; c != nil && c[3] < 1 {
				all.Add("transparency: cameras see the shape opaque", v.Place)
			}
			if h := hidden[v.File]; v.Shape == Mesh && len(h) > 0 {
				all.Add(fmt.Sprintf("of mesh %.60q: %s", path.Base(v.File), strings.Join(h, ", ")), v.Place)
			}
			if v.Material.Texture != "" {
				all.Add("<texture> of <material>", v.Place)
			}
		}
	}
	for i := range r.Sensors {
		if s := &r.Sensors[i]; s.Kind != Laser && s.Kind != Lidar && s.Kind != IMU && s.Noise > 0 {
			all.Add("<noise> of cameras: the imager's model has its own", s.Place)
		}
	}
	return all
}
