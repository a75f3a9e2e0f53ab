package mujoco

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/internal/play"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var (
	python = flag.String("mujoco.python", "", "a Python with the package mujoco, which runs beside the engine")
	itsOwn = flag.String("mujoco.library", "", "libmujoco of that package, which the engine then uses as well")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *itsOwn != "" {
		libraries = []string{*itsOwn}
	}
	os.Exit(m.Run())
}

// trunk is the origin of the trunk's frame in testdata/biped.xml, in B.
var trunk = mgl64.Vec3{0.005, 0, 0.41}

// biped returns the robot of testdata/biped.xml.
func biped() *physics.Model {
	model := enginetest.Model()
	model.Config.Engine = "mujoco"
	shape := func(kind physics.ShapeKind, half, at mgl64.Vec3) physics.Shape {
		return physics.Shape{Kind: kind, PoseB: spatial.Translation(at), Half: half, Friction: 0.9}
	}
	r := physics.Robot{Name: "biped", Team: physics.Cyan, Drive: physics.LegsDrive(), Pose: spatial.Identity(),
		Body: physics.Body{Radius: 0.15, Height: 0.6, Mass: 4.8, InertiaZ: 0.03, CoMZ: 0.3}}
	r.Trunk = &physics.Trunk{Mass: 3, CoMB: trunk,
		InertiaB: mgl64.Diag3(mgl64.Vec3{0.02, 0.015, 0.012}), Shapes: []physics.Shape{
			shape(physics.BoxShape, mgl64.Vec3{0.06, 0.08, 0.1}, mgl64.Vec3{0, 0, 0.4}),
			shape(physics.SphereShape, mgl64.Vec3{0.05}, mgl64.Vec3{0, 0, 0.57})}}
	for _, side := range []struct {
		name string
		y    float64
	}{{"left", 0.06}, {"right", -0.06}} {
		at := func(x, z float64) mgl64.Vec3 { return mgl64.Vec3{x, side.y, z} }
		hip := physics.Joint{Name: side.name + " hip", Parent: -1, AxisB: mgl64.Vec3{0, 1, 0}, PointB: at(0, 0.3),
			Lower: -1.5, Upper: 1.5, MaxSpeed: math.Inf(1), MaxEffort: 5, Damping: 0.05, Friction: 0.02, Armature: 0.01,
			P: 60, D: 1.5, Mimics: -1, Wheel: -1}
		knee := hip
		knee.Name, knee.Parent, knee.PointB = side.name+" knee", len(r.Joints), at(0, 0.17)
		hip.Mass, hip.CoMB, hip.InertiaB = 0.5, at(0, 0.235), mgl64.Diag3(mgl64.Vec3{0.001, 0.0011, 0.0003})
		hip.Shapes = []physics.Shape{shape(physics.CapsuleShape, mgl64.Vec3{0.025, 0, 0.045}, at(0, 0.235))}
		knee.Mass, knee.CoMB, knee.InertiaB = 0.4, at(0.01, 0.05), mgl64.Diag3(mgl64.Vec3{0.0008, 0.001, 0.0005})
		knee.Shapes = []physics.Shape{shape(physics.CylinderShape, mgl64.Vec3{0.02, 0, 0.05}, at(0, 0.09)),
			shape(physics.BoxShape, mgl64.Vec3{0.08, 0.04, 0.015}, at(0.02, 0.015))}
		r.Joints = append(r.Joints, hip, knee)
	}
	model.Robots = []physics.Robot{r}
	return model
}

// peerStep is the input of a step of testdata/peer.py.
type peerStep struct {
	Ctrl    []float64 `json:"ctrl"`
	Bias    []float64 `json:"bias"`
	Damping []float64 `json:"damping"`
	Off     bool      `json:"off"`
}

// peerRun is the input of testdata/peer.py.
type peerRun struct {
	QPos  []float64  `json:"qpos"`
	QVel  []float64  `json:"qvel"`
	Parts int        `json:"parts"`
	Steps []peerStep `json:"steps"`
}

// run returns the states after each step, and the version of the package.
func (p *peerRun) run(t *testing.T, xml string) (states [][2][]float64, version string) {
	t.Helper()
	cmd := exec.Command(*python, "testdata/peer.py", xml)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(must.Get(json.Marshal(p))(t)), os.Stderr
	lines := json.NewDecoder(bytes.NewReader(must.Get(cmd.Output())(t)))
	must.Do(t, lines.Decode(&version))
	for range p.Steps {
		var s [2][]float64
		must.Do(t, lines.Decode(&s))
		states = append(states, s)
	}
	return states, version
}

// motion is what the biped does in a test: where it starts, whether its joints swing freely, and the position to which
// a joint goes at a time, if it does not stay.
type motion struct {
	name    string
	seconds float64
	from    spatial.Pose
	twist   spatial.Twist
	free    bool
	to      func(joint int, seconds float64) float64
}

// All feet start above the floor, so that rounding does not decide which corner touches first.
var motions = []motion{
	{"tumbling in free fall, with legs that swing", 2, spatial.Translation(mgl64.Vec3{0, 0, 30}),
		spatial.Twist{Lin: mgl64.Vec3{0.5, 0, 1}, Ang: mgl64.Vec3{1, 3, 0.5}}, true, nil},
	{"standing", 60, spatial.Translation(mgl64.Vec3{0, 0, 0.001}), spatial.Twist{}, false, nil},
	{"dropped, then at rest", 5, spatial.Translation(mgl64.Vec3{0, 0, 0.05}), spatial.Twist{}, false, nil},
	{"bowing", 2, spatial.Translation(mgl64.Vec3{0, 0, 0.001}), spatial.Twist{}, false, bow},
	{"swaying after a push", 2, spatial.Translation(mgl64.Vec3{0, 0, 0.001}),
		spatial.Twist{Ang: mgl64.Vec3{0, 2, 0}}, false, bow},
}

// bow moves both hips of the biped.
func bow(joint int, seconds float64) float64 {
	if joint%2 == 1 {
		return 0
	}
	return 0.05 * (1 - math.Cos(3*seconds))
}

// agreed is the largest difference between the engine and the package: of positions in m or rad, of velocities in m/s
// or rad/s. Rounding makes one of 1e-14, which contacts enlarge.
const agreed = 1e-9

// The engine moves a robot as MuJoCo's Python package does, which runs beside it with a model written by hand, and with
// the same targets.
func TestMovesAsThePythonPackage(t *testing.T) {
	if *python == "" {
		t.Skip("needs -mujoco.python: make verify-mujoco")
	}
	for _, m := range motions {
		t.Run(m.name, func(t *testing.T) { moves(t, biped(), &m) })
	}
}

func moves(t *testing.T, model *physics.Model, m *motion) {
	w := must.Get(newBodies(model))(t)
	e := must.Get(play.New(model, w))(t)
	defer e.Close()
	must.Do(t, e.PlaceRobot(0, m.from, m.twist))
	ours, hand := peerRun{Parts: w.parts}, peerRun{Parts: w.parts}
	ours.QPos, ours.QVel = slices.Clone(w.qpos), slices.Clone(w.qvel)
	pos, rot, ang := m.from.Apply(trunk), m.from.Rot, m.from.Unrotate(m.twist.Ang)
	lin := m.twist.PointVelocity(m.from.Rotate(trunk))
	hand.QPos = []float64{pos[0], pos[1], pos[2], rot.W, rot.V[0], rot.V[1], rot.V[2], 0, 0, 0, 0}
	hand.QVel = append(append(lin[:], ang[:]...), 0, 0, 0, 0)
	var want []physics.Snapshot
	var raw [][2][]float64
	for step := range int(m.seconds / w.dt) {
		targets, values := make([]physics.JointTarget, 4), make([]float64, 4)
		for k := range targets {
			if m.to != nil {
				values[k] = m.to(k, float64(step)*w.dt)
			}
			targets[k] = physics.JointTarget{Mode: physics.JointPosition, Value: values[k]}
			if m.free {
				targets[k].Mode = physics.JointFree
			}
		}
		must.Do(t, e.MoveJoints(0, []int{0, 1, 2, 3}, targets))
		must.Do(t, e.Step(make([]physics.Command, 1)))
		var now physics.Snapshot
		e.Snapshot(&now)
		want = append(want, now)
		raw = append(raw, [2][]float64{slices.Clone(w.qpos), slices.Clone(w.qvel)})
		hand.Steps = append(hand.Steps, peerStep{Ctrl: values, Off: m.free})
		in := peerStep{Ctrl: slices.Clone(w.ctrl)}
		if step == 0 { // the motors' constants stay the same
			in.Bias, in.Damping = slices.Clone(w.gain), slices.Clone(w.damping)
		}
		ours.Steps = append(ours.Steps, in)
	}

	states, version := hand.run(t, "testdata/biped.xml")
	apart, faster := 0.0, 0.0
	for i, s := range states {
		pose := spatial.Pose{Pos: mgl64.Vec3(s[0][:3]), Rot: mgl64.Quat{W: s[0][3], V: mgl64.Vec3(s[0][4:7])}}
		got := &want[i].Robots[0]
		apart = max(apart, pose.Apply(trunk.Mul(-1)).Sub(got.PoseWB.Pos).Len(),
			2*pose.Rot.Conjugate().Mul(got.PoseWB.Rot).V.Len())
		faster = max(faster, pose.Rotate(mgl64.Vec3(s[1][3:6])).Sub(got.TwistWBInW.Ang).Len())
		for k := range 4 {
			apart = max(apart, math.Abs(s[0][7+k]-want[i].Joints[k].Position))
			faster = max(faster, math.Abs(s[1][6+k]-want[i].Joints[k].Velocity))
		}
	}
	t.Logf("MuJoCo %s with a model written by hand: positions differ by at most %.2g, velocities by %.2g, in %v s",
		version, apart, faster, m.seconds)
	if !(apart <= agreed) || !(faster <= agreed) {
		t.Errorf("positions differ by %g, velocities by %g: must be within %g", apart, faster, agreed)
	}

	file := filepath.Join(t.TempDir(), "model.xml")
	must.Do(t, os.WriteFile(file, []byte(compose(model, w.dt/float64(w.parts))), 0o600))
	states, _ = ours.run(t, file)
	for i, s := range states {
		if !slices.Equal(s[0], raw[i][0]) || !slices.Equal(s[1], raw[i][1]) {
			t.Fatalf("with the engine's own model, the numbers of step %d are not the same:\n%v\n%v", i, s, raw[i])
		}
	}
}
