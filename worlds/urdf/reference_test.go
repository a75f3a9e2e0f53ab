package urdf

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
	"github.com/omnipitch/omnipitch/worlds/articulated"
)

var folders = flag.String("urdf.in", "", "also compare all URDF files in these folders, separated by commas")

var requirements = []string{
	"yourdfpy==0.0.60 --hash=sha256:8a187a8b18c98db87c76e9a950581b3c875b761e00df83942526c17ea693166c",
	"trimesh==5.2.0 --hash=sha256:04db2c7ec62afdd7763fb04c82bb5f257ddd984993a19ee83697f475fc58fd29",
	"six==1.17.0 --hash=sha256:4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274",
	"lxml==6.1.3 --hash=sha256:527195c188d7d0af748cd48d220ab8cdc5cb99be3d49ac4d9be7324d8abf9bc0 " +
		"--hash=sha256:ea2c01cdb16dc12156e455007c406dfaaece0c89aa4ba0e3b47586779f951d41",
}

// reference is what yourdfpy reads in a file. Poses have the first three rows of their matrices. Shapes have a pose in
// the link's frame, and then three measures or the scale.
type reference struct {
	Error string
	Links map[string]struct{ Visuals, Collisions [][]float64 }
	// States has, for each configuration, each link's pose, its mass with centre and tensor, and the axis of its joint,
	// in the root's frame.
	States []map[string]struct{ Pose, Mass, Axis []float64 }
}

// urdfFiles returns the files that ship and those of the tests, and then those of the flag.
func urdfFiles(t *testing.T) (files []string, own int) {
	files = append(must.Get(filepath.Glob("testdata/*.urdf"))(t), must.Get(filepath.Glob("../robots/*.urdf"))(t)...)
	own = len(files)
	for folder := range strings.SplitSeq(*folders, ",") {
		if folder == "" {
			continue
		}
		before := len(files)
		must.Do(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".urdf") && d.Type().IsRegular() {
				files = append(files, path)
			}
			return err
		}))
		if len(files) == before {
			t.Errorf("no URDF file in %s", folder)
		}
	}
	return files, own
}

// TestReadsAsYourdfpy checks poses, axes, masses, inertias and shapes against the parser yourdfpy of PyPI.
func TestReadsAsYourdfpy(t *testing.T) {
	python := exec.Command(pypi.Python(t, requirements...), "testdata/reference.py")
	python.Stderr = os.Stderr
	in, out := must.Get(python.StdinPipe())(t), must.Get(python.StdoutPipe())(t)
	must.Do(t, python.Start())
	t.Cleanup(func() { in.Close(); python.Wait() })
	answers := json.NewDecoder(bufio.NewReader(out))
	random := rand.New(rand.NewPCG(1, 2))
	files, own := urdfFiles(t)
	alike, worst := 0, 0.0
	for n, file := range files {
		note := t.Logf
		if n < own {
			note = t.Errorf
		}
		r, err := Parse(file, must.Get(os.ReadFile(file))(t))
		if err != nil {
			note("refused: %v", err)
			continue
		}
		positions := make([]map[string]float64, 5)
		for k := range positions {
			positions[k] = map[string]float64{}
			for i := range r.Joints {
				positions[k][r.Joints[i].Name] = float64(k) * (random.Float64() - 0.5) // the first ones are 0
			}
		}
		must.Do(t, json.NewEncoder(in).Encode(map[string]any{"file": file, "positions": positions}))
		var want reference
		must.Do(t, answers.Decode(&want))
		if want.Error != "" {
			note("%s: yourdfpy: %s", file, want.Error)
			continue
		}
		c := comparison{t: t, file: file}
		c.shapes(r, &want)
		for k := range positions {
			c.state(r, positions[k], &want, k)
		}
		c.engine(r, positions, &want)
		alike, worst = alike+1, max(worst, c.worst)
	}
	t.Logf("%d of %d files are alike, to %.1e", alike, len(files), worst)
}

// comparison compares a file with the reference, to 1e-9.
type comparison struct {
	t     *testing.T
	file  string
	worst float64
}

func (c *comparison) equal(what string, got, want []float64) {
	c.t.Helper()
	if len(got) != len(want) {
		c.t.Errorf("%s: %s: got %v, want %v", c.file, what, got, want)
		return
	}
	for i := range got {
		d := math.Abs(got[i]-want[i]) / max(1, math.Abs(want[i]))
		if !(d <= 1e-9) {
			c.t.Errorf("%s: %s: got %v, want %v", c.file, what, got, want)
			return
		}
		c.worst = max(c.worst, d)
	}
}

// rows returns the first three rows of a pose's matrix.
func rows(p spatial.Pose) []float64 {
	m := p.Mat4().Transpose()
	return m[:12]
}

func (c *comparison) shapes(r *articulated.Robot, want *reference) {
	measures := func(s *articulated.Collision) []float64 {
		switch s.Shape {
		case articulated.Box:
			return append(rows(s.PoseLS), s.Size[:]...)
		case articulated.Mesh:
			return append(rows(s.PoseLS), s.Scale[:]...)
		}
		return append(rows(s.PoseLS), s.Radius, s.Length, 0)
	}
	if len(want.Links) != len(r.Links) {
		c.t.Errorf("%s: %d links, want %d", c.file, len(r.Links), len(want.Links))
	}
	for i := range r.Links {
		l, w := &r.Links[i], want.Links[r.Links[i].Name]
		if len(l.Visuals) != len(w.Visuals) || len(l.Collisions) != len(w.Collisions) {
			c.t.Errorf("%s: %s: %d and %d shapes, want %d and %d", c.file, l.Name, len(l.Visuals), len(l.Collisions),
				len(w.Visuals), len(w.Collisions))
			continue
		}
		for k := range l.Visuals {
			c.equal("visual of "+l.Name, measures(&l.Visuals[k].Collision), w.Visuals[k])
		}
		for k := range l.Collisions {
			c.equal("collision of "+l.Name, measures(&l.Collisions[k]), w.Collisions[k])
		}
	}
}

// state compares a configuration.
func (c *comparison) state(r *articulated.Robot, positions map[string]float64, want *reference, k int) {
	poses := r.Poses(positions)
	for i := range r.Links {
		l, w := &r.Links[i], want.States[k][r.Links[i].Name]
		what := fmt.Sprintf("configuration %d: link %s: ", k, l.Name)
		c.equal(what+"pose", rows(poses[i]), w.Pose)
		var mass []float64
		if in := l.Inertial; in != nil {
			centre := poses[i].Mul(in.PoseLC)
			turn := centre.Rotation()
			tensor := turn.Mul3(in.Tensor()).Mul3(turn.Transpose())
			mass = append(append(append(mass, in.Mass), centre.Pos[:]...), tensor[:]...)
		}
		c.equal(what+"mass", mass, w.Mass)
	}
	for i := range r.Joints {
		if j := &r.Joints[i]; j.Moves() {
			axis := poses[r.Link(j.Child)].Rotate(j.Axis)
			c.equal("axis of "+j.Name, axis[:], want.States[k][j.Child].Axis)
		}
	}
}

// engine compares the joints that engines get: how each joint moves its link, and the mass of the link.
func (c *comparison) engine(r *articulated.Robot, positions []map[string]float64, want *reference) {
	mechanism, err := r.Mechanism(nil, oneMesh)
	if err != nil {
		c.t.Logf("no robot: %v", err)
		return
	}
	joints := mechanism.Joints
	robot := physics.Robot{Joints: joints}
	zero := r.Poses(nil)
	mover := movers(r, joints)
	masses := make([]float64, len(joints))
	moments := make([]mgl64.Vec3, len(joints))
	poseBR := spatial.Identity()
	if len(joints) > 0 { // the floor is as far below the root link for each joint
		poseBR.Pos[2] = joints[0].PointB[2] - zero[r.Link(r.Joints[r.Joint(joints[0].Name)].Child)].Pos[2]
	}
	for k := range positions {
		states := make([]physics.JointState, len(joints))
		for i := range joints {
			states[i].Position = positions[k][joints[i].Name]
		}
		robot.Mimic(states)
		for i := range r.Links {
			moved := poseBR.Inverse().Mul(robot.Moved(mover[i], states)).Mul(poseBR).Mul(zero[i])
			c.equal(fmt.Sprintf("configuration %d: moved pose of %s", k, r.Links[i].Name), rows(moved),
				want.States[k][r.Links[i].Name].Pose)
		}
	}
	// by the parallel axis theorem about the origin, where the engine has it about the centre of mass
	tensors := make([]mgl64.Mat3, len(joints))
	add := func(to *mgl64.Mat3, m float64, at mgl64.Vec3, tensor mgl64.Mat3) {
		*to = to.Add(tensor)
		for row := range 3 {
			for col := range 3 {
				v := -m * at[row] * at[col]
				if row == col {
					v += m * at.Dot(at)
				}
				to.Set(row, col, to.At(row, col)+v)
			}
		}
	}
	for i := range r.Links {
		if w := want.States[0][r.Links[i].Name].Mass; len(w) > 0 && mover[i] >= 0 {
			k, at := mover[i], poseBR.Apply(mgl64.Vec3(w[1:4]))
			masses[k] += w[0]
			moments[k] = moments[k].Add(at.Mul(w[0]))
			add(&tensors[k], w[0], at, mgl64.Mat3(w[4:]))
		}
	}
	for k := range joints {
		j := &joints[k]
		var tensor mgl64.Mat3
		add(&tensor, j.Mass, j.CoMB, j.InertiaB)
		moment := j.CoMB.Mul(j.Mass)
		c.equal("engine's mass of "+j.Name, []float64{j.Mass}, masses[k:k+1])
		c.equal("engine's centre of "+j.Name, moment[:], moments[k][:])
		c.equal("engine's inertia of "+j.Name, tensor[:], tensors[k][:])
	}
}

// movers returns, for each link, the index of the joint of an engine that moves the link, or −1.
func movers(r *articulated.Robot, joints []physics.Joint) (all []int) {
	for i := range r.Links {
		mover, link := -1, r.Links[i].Name
		for mover < 0 {
			holder := slices.IndexFunc(r.Joints, func(j articulated.Joint) bool { return j.Child == link })
			if holder < 0 {
				break
			}
			mover = slices.IndexFunc(joints, func(j physics.Joint) bool { return j.Name == r.Joints[holder].Name })
			link = r.Joints[holder].Parent
		}
		all = append(all, mover)
	}
	return all
}
