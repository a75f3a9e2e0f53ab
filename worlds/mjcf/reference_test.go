package mjcf

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/urdf"
)

var (
	folders = flag.String("mjcf.in", "", "also compare all MJCF files in these folders, separated by commas")
	update  = flag.Bool("update", false, "write testdata/mujoco.json")
)

// figuresFile has what MuJoCo reads in each of own, so that the test needs no Python.
const figuresFile = "testdata/mujoco.json"

// own lists the files whose figures are written down.
var own = []string{"testdata/features.xml", "testdata/booster-t1/T1_23dof.xml", "testdata/booster-t1/T1_23dof.urdf",
	"../robots/humanoid-kid.xml", "../robots/humanoid-adult.xml"}

// requirements are those of the package that reads the files for comparison, on x86-64 and on ARM.
var requirements = []string{
	"mujoco==3.3.7 --hash=sha256:9371506f0df2d82152685fc8d38465843abcea8d371745ea7c125001e8f3f2d8 " +
		"--hash=sha256:9381bf5364eb2da86f0b1388c98b57e706123c8370660f977004fb5f94ef900f",
	"typing_extensions==4.9.0 --hash=sha256:af72aea155e91adfc61c3ae9e0e342dbc0cba726d6cba4b6c72c1f34e47291cd",
}

// reference is what MuJoCo reads in a file. Places have the first three rows of a pose's matrix.
type reference struct {
	Error     string
	Bodies    map[string]struct{ Mass, Centre, Tensor, Place []float64 }
	Positions map[string]float64
	Joints    map[string]struct {
		Body                                 string
		Axis, Point, Range, Dynamics, Effort []float64
	}
	Geoms []struct {
		Body, Kind  string
		Size, Place []float64
		Friction    float64
		Collides    bool
	}
	Actuators []struct {
		Joint string
		Force []float64
		Gear  float64
	}
}

// TestReadsAsMuJoCo checks masses, inertias, axes, ranges, dynamics, shapes and poses against figures that MuJoCo 3.3.7
// has written.
func TestReadsAsMuJoCo(t *testing.T) {
	figures := map[string]json.RawMessage{}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(figuresFile))(t), &figures))
	for _, file := range own {
		var want reference
		must.Do(t, json.Unmarshal(figures[file], &want))
		compare(t, file, &want, t.Errorf)
	}
}

// TestFiguresAreMuJoCos checks that MuJoCo reads today what is written down, and compares the files of -mjcf.in.
func TestFiguresAreMuJoCos(t *testing.T) {
	python := exec.Command(pypi.Python(t, requirements...), "testdata/reference.py")
	python.Stderr = os.Stderr
	in, out := must.Get(python.StdinPipe())(t), must.Get(python.StdoutPipe())(t)
	must.Do(t, python.Start())
	t.Cleanup(func() { in.Close(); python.Wait() })
	answers := bufio.NewReader(out)
	ask := func(file string) json.RawMessage {
		must.Do(t, json.NewEncoder(in).Encode(map[string]any{"file": file, "seed": 1}))
		return bytes.TrimSpace(must.Get(answers.ReadBytes('\n'))(t))
	}
	figures := map[string]json.RawMessage{}
	for _, file := range own {
		figures[file] = ask(file)
	}
	text := append(must.Get(json.MarshalIndent(figures, "", " "))(t), '\n')
	if *update {
		var small bytes.Buffer
		must.Do(t, json.Compact(&small, text))
		must.Do(t, os.WriteFile(figuresFile, bytes.ReplaceAll(append(small.Bytes(), '\n'), []byte(`},"`), []byte("},\n\"")),
			0o644))
	}
	written := map[string]json.RawMessage{}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(figuresFile))(t), &written))
	for _, file := range own {
		var got, want any
		must.Do(t, json.Unmarshal(written[file], &got))
		must.Do(t, json.Unmarshal(figures[file], &want))
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: the figures of %s are not those of MuJoCo", file, figuresFile)
		}
	}
	alike, refused := 0, 0
	for folder := range strings.SplitSeq(*folders, ",") {
		if folder == "" {
			continue
		}
		must.Do(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".xml" {
				return err
			}
			var want reference
			must.Do(t, json.Unmarshal(ask(path), &want))
			if want.Error != "" {
				t.Logf("%s: MuJoCo: %s", path, want.Error)
			} else if compare(t, path, &want, t.Logf) {
				alike++
			} else {
				refused++
			}
			return nil
		}))
	}
	if *folders != "" {
		t.Logf("%d files are alike, %d are refused", alike, refused)
		if alike == 0 {
			t.Error("no file was compared")
		}
	}
}

// compare checks a file against what MuJoCo reads, to 1e-9. It returns false for a file that is refused, and calls
// refused.
func compare(t *testing.T, file string, want *reference, refused func(string, ...any)) bool {
	t.Helper()
	parse := Parse
	if strings.HasSuffix(file, ".urdf") {
		parse = urdf.Parse
	}
	r, err := parse(file, must.Get(os.ReadFile(file))(t))
	if err != nil {
		refused("refused: %v", err)
		return false
	}
	c := comparison{t: t, file: file, robot: r, want: want, mujoco: !strings.HasSuffix(file, ".urdf")}
	c.bodies()
	c.joints()
	c.geoms()
	c.efforts()
	if c.compared == 0 {
		t.Errorf("%s: nothing was compared", file)
	}
	t.Logf("%s: %d numbers are alike, to %.1e", file, c.compared, c.worst)
	return true
}

type comparison struct {
	t        *testing.T
	file     string
	robot    *articulated.Robot
	want     *reference
	mujoco   bool // the file is MJCF
	compared int
	worst    float64
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
		c.worst, c.compared = max(c.worst, d), c.compared+1
	}
}

// rows returns the first three rows of a pose's matrix.
func rows(p spatial.Pose) []float64 {
	m := p.Mat4().Transpose()
	return m[:12]
}

// bodies compares the masses of bodies, and where they are while all joints are somewhere. Places count from the root.
func (c *comparison) bodies() {
	poses := c.robot.Poses(c.want.Positions)
	root := -1
	var rootWM spatial.Pose // of MuJoCo's root body
	for i := range c.robot.Links {
		l := &c.robot.Links[i]
		w, ok := c.want.Bodies[l.Name]
		if !ok {
			if _, unnamed := c.want.Bodies[""]; l.Inertial != nil && !unnamed {
				c.t.Errorf("%s: MuJoCo has no body %q", c.file, l.Name)
			}
			continue
		}
		var mass, centre, tensor = []float64{0}, make([]float64, 3), make([]float64, 9)
		if in := l.Inertial; in != nil {
			turn := in.PoseLC.Rotation()
			m := turn.Mul3(in.Tensor()).Mul3(turn.Transpose())
			mass, centre, tensor = []float64{in.Mass}, in.PoseLC.Pos[:], m[:]
		}
		c.equal("mass of "+l.Name, mass, w.Mass)
		c.equal("centre of "+l.Name, centre, w.Centre)
		c.equal("inertia of "+l.Name, tensor, w.Tensor)
		place := pose(w.Place)
		if root < 0 {
			root, rootWM = i, place
			continue
		}
		c.equal("pose of "+l.Name, rows(poses[root].Inverse().Mul(poses[i])), rows(rootWM.Inverse().Mul(place)))
	}
}

// joints compares the joints, and counts them.
func (c *comparison) joints() {
	moving := 0
	for i := range c.robot.Joints {
		j := &c.robot.Joints[i]
		if !j.Moves() {
			continue
		}
		moving++
		w, ok := c.want.Joints[j.Name]
		if !ok {
			c.t.Errorf("%s: MuJoCo has no joint %q", c.file, j.Name)
			continue
		}
		c.equal("axis of "+j.Name, j.Axis[:], w.Axis)
		c.equal("point of "+j.Name, j.PointC[:], w.Point)
		c.equal("dynamics of "+j.Name, []float64{j.Damping, j.Friction, j.Armature}, w.Dynamics)
		var limits []float64
		if l := j.Limit; l != nil && j.Type != articulated.Continuous && !math.IsInf(l.Lower, 0) {
			limits = []float64{l.Lower, l.Upper}
		}
		c.equal("range of "+j.Name, limits, w.Range)
	}
	must.Equal(c.t, moving, len(c.want.Joints), "%s: joints move", c.file)
}

// geoms compares the shapes that collide, other than meshes.
func (c *comparison) geoms() {
	for i := range c.robot.Links {
		l := &c.robot.Links[i]
		if _, named := c.want.Bodies[l.Name]; !named {
			continue
		}
		shapes := slices.DeleteFunc(slices.Clone(l.Collisions), func(s articulated.Collision) bool {
			return s.Shape == articulated.Mesh
		})
		for _, w := range c.want.Geoms {
			if w.Body != l.Name || !w.Collides {
				continue
			}
			if len(shapes) == 0 {
				c.t.Errorf("%s: %s has too few shapes", c.file, l.Name)
				return
			}
			s := shapes[0]
			shapes = shapes[1:]
			size := s.Size[:]
			switch s.Shape {
			case articulated.Sphere:
				size = []float64{2 * s.Radius}
			case articulated.Cylinder, articulated.Capsule:
				size = []float64{2 * s.Radius, s.Length}
			}
			for k := range size {
				size[k] /= 2
			}
			if string(s.Shape) != w.Kind {
				c.t.Errorf("%s: %s: shape %s, want %s", c.file, l.Name, s.Shape, w.Kind)
			}
			c.equal("size of a shape of "+l.Name, size, w.Size)
			c.equal("pose of a shape of "+l.Name, rows(s.PoseLS), w.Place)
			if c.mujoco && s.Friction != 0 {
				c.equal("friction of a shape of "+l.Name, []float64{s.Friction}, []float64{w.Friction})
			}
		}
		if len(shapes) > 0 {
			c.t.Errorf("%s: %s has %d shapes too many", c.file, l.Name, len(shapes))
		}
	}
}

// efforts compares the largest effort of joints with one motor.
func (c *comparison) efforts() {
	for i := range c.robot.Joints {
		j := &c.robot.Joints[i]
		var forces []float64
		for _, a := range c.want.Actuators {
			if a.Joint == j.Name && len(a.Force) == 2 {
				forces = append(forces, max(-a.Force[0], a.Force[1])*math.Abs(a.Gear))
			}
		}
		if len(forces) == 1 && j.P == 0 {
			c.equal("effort of "+j.Name, []float64{j.Limit.Effort}, forces)
		}
	}
}

// pose returns the pose with the first three rows of a matrix.
func pose(m []float64) spatial.Pose {
	turn := mgl64.Mat4{m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0, 0, 0, 0, 1}
	return spatial.Pose{Pos: mgl64.Vec3{m[3], m[7], m[11]}, Rot: mgl64.Mat4ToQuat(turn).Normalize()}
}
