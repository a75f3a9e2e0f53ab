package worlds

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// tetrahedron returns the four faces of a corner of a cube of 0.2 m as a binary STL file.
func tetrahedron() []byte {
	data := make([]byte, 84)
	binary.LittleEndian.PutUint32(data[80:], 4)
	corners := [4][3]float32{{}, {0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.2}}
	for _, face := range [][3]int{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}} {
		data = append(data, make([]byte, 12)...)
		for _, k := range face {
			for _, x := range corners[k] {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			}
		}
		data = append(data, 0, 0)
	}
	return data
}

const cartURDF = `<robot name="cart">
<link name="base">
  <visual><origin xyz="0 0 0.1"/><geometry><mesh filename="package://cart/meshes/hull.stl"/></geometry></visual>
  <collision><origin xyz="0 0 0.15"/><geometry><box size="0.4 0.3 0.2"/></geometry></collision>
  <inertial><origin xyz="0 0 0.15"/><mass value="6"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.5"/></inertial>
</link>
<link name="l"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="left" type="continuous"><parent link="base"/><child link="l"/><origin xyz="0 0.2 0.05"/><axis xyz="0 1 0"/></joint>
<link name="r"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="right" type="continuous"><parent link="base"/><child link="r"/><origin xyz="0 -0.2 0.05"/><axis xyz="0 1 0"/></joint>
<link name="c"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
<joint name="rear" type="fixed"><parent link="base"/><child link="c"/><origin xyz="-0.15 0 0.01"/></joint>
<link name="d"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
<joint name="front" type="fixed"><parent link="base"/><child link="d"/><origin xyz="0.15 0 0.01"/></joint>
<link name="arm"/>
<joint name="lift" type="prismatic"><parent link="base"/><child link="arm"/><limit upper="1"/></joint>
<gazebo reference="base">
  <sensor name="scan" type="ray"><pose>0.1 0 0.3 0 0 0</pose><update_rate>7</update_rate>
    <ray><scan><horizontal><samples>181</samples><min_angle>-1.5707963267948966</min_angle><max_angle>1.5707963267948966</max_angle></horizontal></scan>
    <range><min>0.2</min><max>12</max></range><noise><type>gaussian</type><stddev>0.02</stddev></noise></ray></sensor>
</gazebo>
</robot>
`

// cartIn writes a robot in a package of ROS, and returns the path of a world with that robot.
func cartIn(t *testing.T, dir, more string) string {
	t.Helper()
	write(t, dir, "cart/urdf/cart.urdf", cartURDF)
	must.Do(t, os.MkdirAll(filepath.Join(dir, "cart/meshes"), 0o755))
	must.Do(t, os.WriteFile(filepath.Join(dir, "cart/meshes/hull.stl"), tetrahedron(), 0o600))
	return write(t, dir, "world.toml", "name = \"w\"\n[[robot]]\nname = \"r1\"\nmodel = \"cart/urdf/cart.urdf\"\n"+more)
}

const onWheels = "[robot.drive]\ndifferential = { left = [\"left\"], right = [\"right\"] }\nmax_speed_m_s = 0.5\n"

// TestModelFromURDF checks that a robot has what its URDF gives, with the keys of the world over it.
func TestModelFromURDF(t *testing.T) {
	w := must.Get(Load(cartIn(t, t.TempDir(), onWheels+"[[robot.sensor]]\nname = \"scan\"\nrate_hz = 9\n")))(t)
	r := &w.Robots[0]
	want := physics.Body{Radius: 0.25, Height: 0.25, Mass: 6, InertiaZ: 0.5, CoMZ: 0.15}
	if r.Body != want { // its corners and its wheels reach 0.25 m
		t.Errorf("body %+v, want %+v", r.Body, want)
	}
	d := r.Drive
	if d.MaxSpeed != 0.5 || d.MaxWheelSpeed != 1 || d.WheelRadius != 0.05 || len(d.Wheels) != 2 ||
		len(d.Casters) != 2 ||
		d.Wheels[1] != (physics.Wheel{Kind: physics.StandardWheel, Y: -0.2, Joint: "right", Roller: math.Pi / 2}) {
		t.Errorf("drive %+v", d)
	}
	if len(r.Sensors) != 2 || r.Sensors[1].Kind != "odometry" || r.Sensors[0].Kind != "laser" ||
		r.Sensors[0].Rate != 9 || r.Sensors[0].Laser.Max != 12 ||
		r.Sensors[0].Laser.Bands[0] != (sensors.LaserBand{UpTo: 12, Statistical: 0.02}) ||
		!(math.Abs(r.Sensors[0].Mount.X-0.1) < 1e-12) {
		t.Errorf("sensors %+v", r.Sensors)
	}
	g := r.Look().Body
	if g == nil || len(g.Parts) != 1 || len(g.Meshes[0].Vertices) != 12 || g.Parts[0].PoseBP.Pos[2] != 0.1 {
		t.Fatalf("look %+v", g)
	}
	warnings := strings.Join(w.Warnings(), "\n")
	if strings.Contains(warnings, "cart.urdf") {
		t.Errorf("warnings:\n%s\nwant none about the URDF", warnings)
	}
}

// TestLidarFromURDF checks that a scanner with several layers becomes a lidar, which turns fully.
func TestLidarFromURDF(t *testing.T) {
	dir := t.TempDir()
	path := cartIn(t, dir, onWheels)
	for _, c := range []struct {
		half    string // of the horizontal angle
		samples int
		points  int
		warns   bool
	}{{"3.141592653589793", 901, 900, false}, {"1.5707963267948966", 451, 900, true}} {
		write(t, dir, "cart/urdf/cart.urdf", strings.Replace(cartURDF, "<horizontal><samples>181</samples><min_angle>"+
			"-1.5707963267948966</min_angle><max_angle>1.5707963267948966</max_angle></horizontal>", fmt.Sprintf("<vertical>"+
			"<samples>16</samples><min_angle>-0.2</min_angle><max_angle>0.3</max_angle></vertical><horizontal><samples>%d"+
			"</samples><min_angle>-%s</min_angle><max_angle>%[2]s</max_angle></horizontal>", c.samples, c.half), 1))
		w := must.Get(Load(path))(t)
		s := &w.Robots[0].Sensors[0]
		l := s.Lidar
		if s.Kind != "lidar" || l == nil {
			t.Fatalf("got %+v, want a lidar", s)
		}
		if l.Rings != 16 || l.Points != c.points || l.Min != 0.2 || l.Max != 12 || l.Noise != 0.02 || s.Rate != 7 ||
			!(math.Abs(l.Lowest+0.2) < 1e-9) || !(math.Abs(l.Highest-0.3) < 1e-9) || !(math.Abs(s.Mount.Z-0.3) < 1e-9) {
			t.Errorf("%d samples: got %+v", c.samples, l)
		}
		warnings := strings.Join(w.Warnings(), "\n")
		must.Equal(t, strings.Contains(warnings, "limits of <horizontal>: a lidar turns fully"), c.warns,
			"%d samples: warning", c.samples)
	}
}

const daeHull = `<COLLADA><library_effects><effect id="e"><profile_COMMON><technique><phong><diffuse><color>1 0 0 1</color>
</diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="red"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array>0 0 0 1 0 0 0 0.5 0</float_array>
<technique_common><accessor stride="3"/></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/>
</vertices><triangles material="red"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene><node><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes></COLLADA>`

// TestCOLLADAOfURDF checks that a robot's mesh in COLLADA keeps its axes and its colour, also in a bundle.
func TestCOLLADAOfURDF(t *testing.T) {
	dir := t.TempDir()
	path := cartIn(t, dir, onWheels)
	write(t, dir, "cart/urdf/cart.urdf", strings.ReplaceAll(cartURDF, "hull.stl", "hull.dae"))
	write(t, dir, "cart/meshes/hull.dae", daeHull)
	w := must.Get(Load(path))(t)
	for _, w := range []*World{w, must.Get(LoadBundle(must.Get(w.Bundle(nil))(t)))(t)} {
		g := w.Robots[0].Look().Body
		if g == nil || len(g.Parts) != 1 || g.Materials[g.Parts[0].Material].Color != (mgl32.Vec3{1, 0, 0}) {
			t.Fatalf("got %+v, want one red part", g)
		}
		if got := g.Meshes[0].Vertices[1].Pos; !(math.Abs(float64(got[0])-1) < 1e-6) || got[1] != 0 {
			t.Errorf("the second corner is at %v, want it along x", got)
		}
	}
}

// TestBundleOfURDF checks that a world keeps its robot without the files from which it came.
func TestBundleOfURDF(t *testing.T) {
	dir := t.TempDir()
	w := must.Get(Load(cartIn(t, dir, onWheels)))(t)
	b := must.Get(w.Bundle(nil))(t)
	must.Do(t, os.RemoveAll(dir))
	again := must.Get(LoadBundle(b))(t)
	a, c := &w.Robots[0], &again.Robots[0]
	if !reflect.DeepEqual(a.Body, c.Body) || !reflect.DeepEqual(a.Drive, c.Drive) ||
		!reflect.DeepEqual(a.Sensors, c.Sensors) || !reflect.DeepEqual(a.Look(), c.Look()) {
		t.Errorf("got %+v, want %+v", c, a)
	}
	twice := must.Get(LoadBundle(must.Get(again.Bundle(nil))(t)))(t)
	if !reflect.DeepEqual(twice.Robots[0].Look(), a.Look()) {
		t.Error("the bundle of a world from a bundle has another robot")
	}
	for name, data := range b {
		if strings.HasSuffix(name, ".stl") && bytes.Equal(data, tetrahedron()) {
			return
		}
	}
	t.Errorf("the bundle has no mesh: %v", slices.Collect(func(yield func(string) bool) {
		for name := range b {
			if !yield(name) {
				return
			}
		}
	}))
}

// TestURDFErrors checks that errors name the place, and the place in the URDF.
func TestURDFErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no wheels":     {"", `world.toml:4:1: robot[0]: model = "cart/urdf/cart.urdf": [robot.drive] must be given for a robot that a file describes, as in differential = { left = ["…"], right = ["…"] } with the joints of its driven wheels: its continuous joints are left, right`},
		"unknown joint": {"drive.differential = { left = [\"lef\"], right = [\"right\"] }\n", `has no joint "lef" to drive`},
		"no joints":     {"drive.differential = { left = [], right = [\"right\"] }\n", `left = []: must have at least 1 element`},
		"bad key":       {onWheels + "wheels = 3\n", "wheels = 3: unknown key"},
		"out of range":  {onWheels + "[robot.body]\nmass_kg = 1000\n", "mass_kg = 1000: must lie in [0.1, 200]"},
		"two robots": {onWheels + "[[robot]]\nname = \"r2\"\nmodel = \"differential\"\n[robot.drive]\ndifferential = { left = [\"left\"], right = [\"right\"] }\n",
			"differential = { left = [\"left\"], right = [\"right\"] }: needs a robot that a URDF or MJCF file describes"},
	} {
		if _, err := Load(cartIn(t, t.TempDir(), c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", name, err, c.want)
		}
	}
	dir := t.TempDir()
	path := cartIn(t, dir, onWheels)
	must.Do(t, os.Remove(filepath.Join(dir, "cart/meshes/hull.stl")))
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), `cart.urdf:3:3: mesh "package://cart/meshes/hull.stl": no such file: searched for a folder cart with meshes/hull.stl beside and above`) {
		t.Errorf("a missing mesh: %v", err)
	}
	write(t, dir, "cart/urdf/cart.urdf", strings.Replace(cartURDF, "0.4 0.3 0.2", "9 0.3 0.2", 1))
	must.Do(t, os.WriteFile(filepath.Join(dir, "cart/meshes/hull.stl"), tetrahedron(), 0o600))
	must.Refuse(Load(path))(t, "cart.urdf:1:1: robot[0].body: length_m = 9: must lie in [0, 2]", "a large robot")
	write(t, dir, "cart/urdf/cart.urdf", `<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro/></robot>`)
	must.Refuse(Load(path))(t, "is a file of xacro: expand it first, as in: xacro robot.urdf.xacro > robot.urdf",
		"a file of xacro")
}

const cartMJCF = `<mujoco model="cart">
<compiler angle="radian" meshdir="meshes"/>
<asset><mesh name="hull" file="hull.stl"/></asset>
<worldbody>
  <body name="base">
    <freejoint/>
    <geom type="box" size="0.2 0.15 0.1" pos="0 0 0.15" mass="6" rgba="0 0 0 0"/>
    <geom type="mesh" mesh="hull" pos="0 0 0.1" contype="0" conaffinity="0" mass="0"/>
    <body name="l" pos="0 0.2 0.05"><joint name="left" axis="0 1 0"/><geom size="0.05" density="1"/></body>
    <body name="r" pos="0 -0.2 0.05"><joint name="right" axis="0 1 0"/><geom size="0.05" density="1"/></body>
    <body name="c" pos="-0.15 0 0.01"><geom size="0.01" density="1"/></body>
    <body name="d" pos="0.15 0 0.01"><geom size="0.01" density="1"/></body>
    <body name="arm" pos="0 0 0.2"><joint name="lift" type="slide" range="0 1"/><geom size="0.02" mass="0.1"/></body>
  </body>
</worldbody>
<sensor><gyro name="g" site="s"/></sensor>
</mujoco>
`

// TestModelFromMJCF checks that a robot from MJCF has the wheels, the look and the joints that it would have from URDF,
// and that a bundle of its world does, too.
func TestModelFromMJCF(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "cart.xml", cartMJCF)
	must.Do(t, os.MkdirAll(filepath.Join(dir, "meshes"), 0o755))
	must.Do(t, os.WriteFile(filepath.Join(dir, "meshes/hull.stl"), tetrahedron(), 0o600))
	check := func(w *World) {
		t.Helper()
		r := &w.Robots[0]
		if r.Body.Radius != 0.25 || !(math.Abs(r.Body.Mass-6.1) < 1e-2) || len(r.Drive.Wheels) != 2 ||
			r.Drive.WheelRadius != 0.05 || len(r.Drive.Casters) != 2 || r.Drive.Wheels[1].Joint != "right" {
			t.Errorf("body %+v, drive %+v", r.Body, r.Drive)
		}
		if g := r.Look().Body; len(g.Parts) != 3 || g.Parts[0].Name != "base" || len(g.Meshes[0].Vertices) != 12 ||
			g.Parts[0].PoseBP.Pos[2] != 0.1 {
			t.Errorf("look %+v", g.Parts)
		}
		if joints, _ := w.Joints(0); len(joints) != 3 || joints[2].Name != "lift" || !joints[2].Slides ||
			joints[0].Wheel != 0 {
			t.Errorf("joints %+v", joints)
		}
		if p := r.physics(); p.Trunk != nil || len(p.Joints) != 3 {
			t.Errorf("a robot on wheels with the trunk %+v and the joints %+v", p.Trunk, p.Joints)
		}
	}
	for _, given := range []string{"model", "mjcf"} {
		text := "name = \"w\"\n[[robot]]\nname = \"r1\"\n" + given + " = \"cart.xml\"\n" + onWheels
		w := must.Get(Load(write(t, dir, given+".toml", text)))(t)
		check(w)
		if warnings := strings.Join(w.Warnings(), "\n"); !strings.Contains(warnings,
			`cart.xml:16:9: warning: not carried over: <gyro name="g"> of <sensor> (line 16)`) {
			t.Errorf("warnings:\n%s", warnings)
		}
		if w.Robots[0].Description() != "" || w.Robots[0].URDF != "" {
			t.Errorf("URDF %q, %q, want none", w.Robots[0].URDF, w.Robots[0].Description())
		}
		again := must.Get(LoadBundle(must.Get(w.Bundle(nil))(t)))(t)
		check(again)
		if !reflect.DeepEqual(again.Robots[0].Look(), w.Robots[0].Look()) {
			t.Error("the bundle has another look")
		}
	}
}

// TestLegsNeedNoWheels checks that a robot at level joints needs no keys of wheels, and that one at another level does.
func TestLegsNeedNoWheels(t *testing.T) {
	const text = "name = 'w'\nphysics = { engine = 'mujoco' }\nball = false\n[[robot]]\nname = 'r1'\n" +
		"mjcf = 'humanoid-kid.xml'\n[robot.drive]\nmax_speed_m_s = 0.3\nmax_omega_deg_s = 60\nmax_accel_m_s2 = 0.5\n" +
		"max_alpha_deg_s2 = 180\nwalk = {}\nlevel = "
	dir := t.TempDir()
	write(t, dir, "humanoid-kid.xml", string(must.Get(os.ReadFile("robots/humanoid-kid.xml"))(t)))
	w := must.Get(Load(write(t, dir, "legs.toml", text+"'joints'\n")))(t)
	if walk := w.Model().Robots[0].Drive.Walk; walk == nil || walk.Frequency == 0 {
		t.Errorf("walk %+v: must have its defaults", walk)
	}
	must.Refuse(Load(write(t, dir, "slides.toml", text+"'chassis'\n")))(t, "wheel_radius_m")
}

// TestMJCFRefuses checks that mistakes of worlds and of MJCF files are told with their places.
func TestMJCFRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "cart.xml", cartMJCF)
	write(t, dir, "cart.urdf", cartURDF)
	write(t, dir, "bad.xml", strings.Replace(cartMJCF, `type="slide"`, `type="ball"`, 1))
	for name, c := range map[string]struct{ robot, want string }{
		"both":   {"mjcf = \"cart.xml\"\nurdf = \"cart.urdf\"\n" + onWheels, `world.toml:4:1: robot[0]: mjcf = "cart.xml": urdf is given, too: one file must describe the robot`},
		"file":   {"mjcf = \"none.xml\"\n" + onWheels, `world.toml:4:1: robot[0]: mjcf = "none.xml"`},
		"inside": {"mjcf = \"bad.xml\"\n" + onWheels, `bad.xml:13:36: <joint name="lift">: type = "ball": joints of this type are not simulated`},
		"mesh":   {"mjcf = \"cart.xml\"\n" + onWheels, `cart.xml:8:5: mesh "meshes/hull.stl"`},
		"drive":  {"mjcf = \"cart.xml\"\n", `[robot.drive] must be given for a robot that a file describes`},
	} {
		file := write(t, dir, "world.toml", "name = \"w\"\n[[robot]]\nname = \"r1\"\n"+c.robot)
		must.Refuse(Load(file))(t, c.want, name)
	}
}
