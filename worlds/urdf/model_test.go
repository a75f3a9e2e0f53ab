package urdf

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/articulated"
)

func noMeshes(string) (*render.Group, error) { return nil, errors.New("no meshes here") }

// oneMesh gives a cube of 2 m around the origin for every name.
func oneMesh(string) (*render.Group, error) {
	return &render.Group{Meshes: []render.Mesh{shapes.Box(2, 2, 2)}, Materials: make([]render.Material, 1),
		Parts: []render.Part{{PoseBP: spatial.Identity()}}}, nil
}

// cart returns a robot on two wheels. Its body, wheels and further elements are given.
func cart(body, wheel, more string) string {
	return `<robot name="cart"><link name="base">` + body + `</link>
<link name="l">` + wheel + `</link>
<joint name="left" type="continuous"><parent link="base"/><child link="l"/><origin xyz="0.1 0.2 0.05"/>
<axis xyz="0 1 0"/></joint>
<link name="r">` + wheel + `</link>
<joint name="right" type="continuous"><parent link="base"/><child link="r"/><origin xyz="0.1 -0.2 0.05"/>
<axis xyz="0 -1 0"/><limit velocity="10" effort="2"/></joint>` + more + `</robot>`
}

const (
	cube  = `<collision><origin xyz="0 0 0.3"/><geometry><box size="0.4 0.3 0.2"/></geometry></collision>`
	tyre  = `<collision><origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.08" length="0.04"/></geometry></collision>`
	mass  = `<inertial><origin xyz="0 0 0.3"/><mass value="6"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.5"/></inertial>`
	drift = `<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="0.25" iyz="0" izz="0.125"/></inertial>`
)

// TestModel checks the model of a cart against closed forms.
func TestModel(t *testing.T) {
	r := must.Get(Parse("cart.urdf", []byte(cart(cube+mass, tyre+drift,
		`<link name="c"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
<joint name="cj" type="fixed"><parent link="base"/><child link="c"/><origin xyz="-0.3 0.01 -0.012"/></joint>`))))(t)
	text, places, err := r.Model(&articulated.Differential{Left: []string{"left"}, Right: []string{"right"}}, noMeshes)
	must.Do(t, err)
	if got := strings.Count(string(text), "\n"); got != len(places) {
		t.Errorf("%d places for %d lines", len(places), got)
	}
	// the floor is 0.03 m below the root link, where the wheels' rims are
	want := `[body]
length_m = 0.64
width_m = 0.44
radius_m = 0.388329756779
height_m = 0.43
mass_kg = 8
com_height_m = 0.2675
com_x_m = 0.025
inertia_zz_kg_m2 = 0.845
[drive]
level = "wheels"
wheel_radius_m = 0.08
max_wheel_speed_m_s = 0.8
max_speed_m_s = 0.8
max_omega_deg_s = 204.987612504147
max_accel_m_s2 = 2
max_alpha_deg_s2 = 512.469031260367
max_wheel_force_n = 25
[[drive.wheel]]
kind = "standard"
joint = "left"
x_m = 0.1
y_m = 0.2
heading_deg = 0
[[drive.wheel]]
kind = "standard"
joint = "right"
x_m = 0.1
y_m = -0.2
heading_deg = 180
[[drive.caster]]
x_m = -0.3
y_m = 0.01
[ros1]
profiles = ["standard"]
[[sensor]]
name = "odometry"
kind = "odometry"
rate_hz = 50
`
	// inertia: 0.5 + 2·0.125 + 6·0.025² + 2·(0.2² + 0.075²), with the centre at x = 0.025
	if string(text) != want {
		t.Errorf("got:\n%s\nwant:\n%s", text, want)
	}
}

func TestModelRefuses(t *testing.T) {
	both := &articulated.Differential{Left: []string{"left"}, Right: []string{"right"}}
	tilted := strings.Replace(cart(cube, tyre, ""), `<axis xyz="0 1 0"/>`, `<axis xyz="0 1 1"/>`, 1)
	unequal := strings.Replace(cart(cube, tyre, ""), `radius="0.08"`, `radius="0.09"`, 1)
	for name, c := range map[string]struct {
		text  string
		drive *articulated.Differential
		want  string
	}{
		"unknown":  {cart(cube, tyre, ""), &articulated.Differential{Left: []string{"front"}, Right: []string{"right"}}, `cart.urdf:1:1: has no joint "front" to drive: its continuous joints are left, right`},
		"no shape": {cart(cube, "", ""), both, `cart.urdf:3:1: joint "left" cannot be driven: its link "l" has no shape`},
		"axis":     {tilted, both, `joint "left" cannot be driven: its axis must be level`},
		"radii":    {unequal, both, `the wheel of joint "right" has a radius of 0.08 m, and that of "left" has 0.09 m: must be the same`},
		"mesh":     {cart(`<collision><geometry><mesh filename="a.stl"/></geometry></collision>`, tyre, ""), both, `cart.urdf:1:38: mesh "a.stl": no meshes here`},
		"nothing":  {"<robot name='r'><link name='a'/></robot>", nil, "has neither collision nor visual shapes"},
	} {
		r := must.Get(Parse("cart.urdf", []byte(c.text)))(t)
		if _, _, err := r.Model(c.drive, noMeshes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// TestLook checks where visual shapes are, and that mirrored meshes face outwards.
func TestLook(t *testing.T) {
	r := must.Get(Parse("r.urdf", []byte(cart(cube+
		`<visual><origin xyz="0 0 1"/><geometry><mesh filename="a.stl" scale="0.1 -0.2 0.3"/></geometry>
<material name="m"><color rgba="1 0 0.5 1"/></material></visual>`, tyre, ""))))(t)
	g := must.Get(r.Look([]string{"left", "right"}, oneMesh))(t).Body
	if len(g.Parts) != 1 || g.Parts[0].Name != "base" {
		t.Fatalf("parts: %+v", g.Parts)
	}
	if got := g.Materials[0].Color; got[0] != 1 || got[1] != 0 || !(math.Abs(float64(got[2])-0.2140411) < 1e-6) {
		t.Errorf("colour %v, want that of sRGB 1, 0, 0.5", got)
	}
	if z := g.Parts[0].PoseBP.Pos[2]; !(math.Abs(z-1.03) <= 1e-12) { // the floor is 0.03 m below the root link
		t.Errorf("the mesh is at %v m, want 1.03", z)
	}
	m := g.Meshes[0]
	for i := 0; i < len(m.Indices); i += 3 {
		a, b, c := m.Vertices[m.Indices[i]], m.Vertices[m.Indices[i+1]], m.Vertices[m.Indices[i+2]]
		across := b.Pos.Sub(a.Pos).Cross(c.Pos.Sub(a.Pos))
		if !(across.Dot(a.Normal) > 0 && across.Dot(a.Pos) > 0) {
			t.Fatalf("triangle %d faces inwards", i/3)
		}
		if size := (mgl32.Vec3{0.1, 0.2, 0.3}); !(a.Pos.Len() <= size.Len()*1.001) {
			t.Errorf("a corner at %v, want within %v", a.Pos, size)
		}
	}
}

// TestScout checks the robot that ships.
func TestScout(t *testing.T) {
	r := must.Get(Parse("scout.urdf", must.Get(os.ReadFile("../robots/scout.urdf"))(t)))(t)
	if skipped := r.NotCarriedOver([]string{"left_wheel_joint", "right_wheel_joint"}, nil); skipped != nil {
		t.Errorf("not carried over: %v", skipped)
	}
	text := string(must.Get(func() ([]byte, error) {
		text, _, err := r.Model(&articulated.Differential{Left: []string{"left_wheel_joint"},
			Right: []string{"right_wheel_joint"}}, noMeshes)
		return text, err
	}())(t))
	for _, want := range []string{"radius_m = 0.15\n", "mass_kg = 3.77\n", "wheel_radius_m = 0.036\n",
		"max_speed_m_s = 0.648\n", "fov_deg = 359\n", "resolution_deg = 1\n", "kind = \"kinect\"\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}
