package urdf

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

// wrapped returns a robot with two links and the given text.
func wrapped(text string) string {
	return "<robot name='r'>\n<link name='a'/><link name='b'/>\n" + text + "\n</robot>"
}

const weld = "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"

// TestParseRefuses checks that files that break a rule are refused with the place and the rule.
func TestParseRefuses(t *testing.T) {
	joint := func(inside string) string {
		return wrapped("<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n" + inside + "</joint>")
	}
	const limit = "<limit lower='0' upper='1' effort='1' velocity='1'/>"
	for name, c := range map[string]struct{ text, want string }{
		"empty":        {"", "f.urdf:1:1: is no XML: it has no element"},
		"no XML":       {"<robot name='r'>", "f.urdf:1:1: is no XML: unexpected EOF"},
		"SDF":          {"<sdf/>", "f.urdf:1:1: must begin with <robot>, as URDF does: it is <sdf>"},
		"xacro":        {"<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n  <xacro:include filename='f'/></robot>", "f.urdf:2:3: <xacro:include>: the file is a file of xacro: expand it first"},
		"xacro value":  {"<robot name='${n}'/>", "f.urdf:1:1: name = \"${n}\": the file is a file of xacro"},
		"no link":      {"<robot name='r'/>", "f.urdf:1:1: 0 links: must be 1 to 1000"},
		"twice":        {"<robot name='r'><link name='a'/>\n<link name='a'/></robot>", "f.urdf:2:1: <link name=\"a\">: the file has this name twice"},
		"loose":        {wrapped(""), "no joint holds the links \"a\" and \"b\""},
		"held twice":   {wrapped(weld + "\n" + strings.Replace(weld, "'j'", "'k'", 1)), "f.urdf:4:1: joint \"k\" holds the link \"b\", which joint \"j\" holds already"},
		"no parent":    {wrapped("<joint name='j' type='fixed'><child link='b'/></joint>"), "f.urdf:3:1: <joint name=\"j\">: must have a <parent>"},
		"no such link": {wrapped("<joint name='j' type='fixed'><parent link='c'/><child link='b'/></joint>"), "joint \"j\": its parent \"c\" is no link"},
		"ring":         {"<robot name='r'><link name='o'/><link name='a'/><link name='b'/>" + weld + "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>", "the joints form a ring"},
		"floating":     {wrapped("<joint name='j' type='floating'><parent link='a'/><child link='b'/></joint>"), "type = \"floating\": joints of this type are not simulated"},
		"type":         {wrapped("<joint name='j' type='screw'><parent link='a'/><child link='b'/></joint>"), "type = \"screw\": must be fixed, continuous, revolute or prismatic"},
		"no limit":     {joint(""), "must have a <limit>, as every revolute joint"},
		"axis":         {joint(limit + "<axis xyz='0 0 0'/>"), "f.urdf:4:53: <axis>: xyz = [0 0 0]: must have a direction"},
		"numbers":      {joint(limit + "<origin xyz='1 2'/>"), "xyz = \"1 2\": must be 3 numbers"},
		"not a number": {joint(limit + "<origin xyz='1 2 NaN'/>"), "xyz = \"NaN\": must be a number"},
		"too far":      {joint(limit + "<origin xyz='1 2 -2e9'/>"), "xyz = \"-2e9\": must lie within ±1e+09"},
		"no limits":    {joint("<limit lower='1e16' upper='1e16'/>"), "lower = \"1e16\": must lie within"},
		"mimic":        {joint(limit + "<mimic joint='q'/>"), "joint \"j\" mimics \"q\", which is no joint"},
		"mimics self":  {joint(limit + "<mimic joint='j'/>"), "joint \"j\" mimics itself"},
		"mass":         {"<robot name='r'><link name='a'><inertial><mass value='-1'/></inertial></link></robot>", "value = -1: must not be negative"},
		"shape":        {"<robot name='r'><link name='a'><visual><geometry><capsule/></geometry></visual></link></robot>", "<capsule>: must be one of <box>, <cylinder>, <sphere> and <mesh>"},
		"no shape":     {"<robot name='r'><link name='a'><visual><geometry/></visual></link></robot>", "<geometry>: must be one of <box>"},
		"radius":       {"<robot name='r'><link name='a'><visual><geometry><sphere radius='-1'/></geometry></visual></link></robot>", "radius = -1: must not be negative"},
		"two shapes":   {"<robot name='r'><link name='a'><visual><geometry><sphere radius='1'/><box size='1 1 1'/></geometry></visual></link></robot>", "<sphere>: <geometry> has a <box>, too"},
		"colour":       {"<robot name='r'><material name='m'><color rgba='2 0 0 1'/></material><link name='a'/></robot>", "rgba = [2 0 0 1]: must lie in [0, 1]"},
	} {
		must.Refuse(Parse("f.urdf", []byte(c.text)))(t, c.want, name)
	}
}

func arm(t testing.TB) *articulated.Robot {
	t.Helper()
	return must.Get(Parse("arm.urdf", must.Get(os.ReadFile("testdata/arm.urdf"))(t)))(t)
}

// TestNothingIsSkippedSilently checks that everything that a robot has not is listed with its line.
func TestNothingIsSkippedSilently(t *testing.T) {
	var got []string
	for _, n := range arm(t).NotCarriedOver(nil, nil) {
		got = append(got, n.String())
	}
	want := []string{
		"<safety_controller> of <joint> (line 36)",
		"<transmission> (line 76)",
		`<plugin name="control"> of <gazebo> (line 80)`,
		"<mu1> of <gazebo> (line 83)",
		"<clip> of <camera> (line 91)",
		`<plugin name="eye_driver"> of <sensor> (line 93)`,
		`<sensor> of type "altimeter" (line 95)`,
		"<sensor> with 16 layers of 0 beams in a full turn: must have at most 128 layers, of 8 to 4096 (line 96)",
		`material "missing", which is not defined (line 22)`,
		"<texture> of <material> (line 16)",
		"transparency: cameras see the shape opaque (line 44)",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got:\n%s\nwant:\n%s", g, w)
	}
}

// TestHabitsOfOtherFiles checks what public files have although the format does not.
func TestHabitsOfOtherFiles(t *testing.T) {
	r := must.Get(Parse("r.urdf", []byte("\ufeff<?xml version=\"0.0\" encoding=\"latin1\" ?>\n"+`<robot><link name="a">
<visual><geometry><box size="0 0 0"/></geometry></visual>
<collision><geometry><sphere radius="0"/></geometry></collision>
<visual><geometry><sphere radius="1"/><material name="m"/></geometry>
<material name="m"><color rgba="0 1 0 1"/><texture/></material></visual></link><link name="b"/>
<gazebo reference="a"><sensor name="s" type="imu"/></gazebo><gazebo reference="b"><sensor name="s" type="imu"/></gazebo>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
<limit lower="-1e16" upper="inf" velocity="1e300" effort="3"/></joint></robot>`+"\n\x00")))(t)
	inf := math.Inf(1)
	limit := articulated.Limit{Lower: -inf, Upper: inf, Velocity: inf, Effort: 3}
	must.Equal(t, *r.Joints[0].Limit, limit, "limit")
	joint := must.Get(r.Mechanism(nil, noMeshes))(t).Joints[0]
	if !math.IsInf(joint.Lower, -1) || !math.IsInf(joint.Upper, 1) || !math.IsInf(joint.MaxSpeed, 1) {
		t.Errorf("joint %+v, want none of its limits but that of the effort", joint)
	}
	if s := r.Sensors; len(s) != 2 || s[0].Name != "s" || s[1].Name != "b_s" {
		t.Errorf("sensors %+v, want names of their own", s)
	}
	if v := r.Links[0].Visuals; len(v) != 1 || len(r.Links[0].Collisions) != 0 || v[0].Shape != articulated.Sphere ||
		v[0].Place.Line != 5 || v[0].Material.Color == nil || v[0].Material.Texture != "" {
		t.Errorf("shapes: %+v", r.Links[0])
	}
	var got []string
	for _, n := range r.NotCarriedOver(nil, nil) {
		got = append(got, n.String())
	}
	want := "<visual> with a <box> of size 0 (line 3)\n<collision> with a <sphere> of size 0 (line 4)\n" +
		"<material> of <geometry> (line 5)"
	if g := strings.Join(got, "\n"); g != want {
		t.Errorf("got:\n%s\nwant:\n%s", g, want)
	}
}

// TestPosesFollowClosedForms checks the chain of joints against products of matrices.
func TestPosesFollowClosedForms(t *testing.T) {
	r := must.Get(Parse("r", []byte(`<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="turn" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/><axis xyz="0 0 2"/></joint>
<joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/><axis xyz="0 3 4"/>
<limit lower="0" upper="1"/></joint></robot>`)))(t)
	got := r.Poses(map[string]float64{"turn": math.Pi / 2, "slide": 0.5})[r.Link("c")]
	// (1, 0, 0) and then half a metre along (0, 0.6, 0.8), turned by 90° about z and lifted by 1 m
	want := spatial.Pose{Pos: mgl64.Vec3{-0.3, 1, 1.4}, Rot: spatial.RotZ(math.Pi / 2)}
	if d := got.Pos.Sub(want.Pos).Len(); !(d <= 1e-12) {
		t.Errorf("position %v, want %v", got.Pos, want.Pos)
	}
	if d := got.Rotate(mgl64.Vec3{1, 2, 3}).Sub(want.Rotate(mgl64.Vec3{1, 2, 3})).Len(); !(d <= 1e-12) {
		t.Errorf("rotation %v, want %v", got.Rot, want.Rot)
	}
	gear := arm(t)
	at := gear.Poses(map[string]float64{"shoulder": 0.4})
	same := gear.Poses(map[string]float64{"shoulder": 0.4, "gear": 9}) // a joint that mimics has no position of its own
	if at[gear.Link("tool")] != same[gear.Link("tool")] {
		t.Error("a joint that mimics another one moves by itself")
	}
}

// yourdfpy prints, for each configuration, the poses of links, and once axes, masses and tensors of inertia.
func TestPlacesOfMaterialsAndShapes(t *testing.T) {
	r := arm(t)
	torso, upper, tool := &r.Links[0], &r.Links[1], &r.Links[4]
	if m := torso.Visuals[0].Material; m.Color == nil || *m.Color != [4]float64{0, 0, 0.8, 1} {
		t.Errorf("a named material: %+v", m)
	}
	if m := torso.Visuals[1].Material; m.Texture != "wood.png" {
		t.Errorf("a texture: %+v", m)
	}
	if v := upper.Visuals[0]; v.Shape != articulated.Cylinder ||
		v.Radius != 0.04 || v.Length != 0.3 || v.Place != (markup.Place{Line: 44, Col: 5}) {
		t.Errorf("a cylinder: %+v", v)
	}
	if m := tool.Visuals[0].Material; m.Color == nil || *m.Color != [4]float64{1, 0.5088, 0.0468, 1} {
		t.Errorf("Gazebo's material does not override that of the URDF: %+v", m)
	}
	limit := articulated.Limit{Lower: -1.5, Upper: 2, Velocity: 3, Effort: 40}
	if j := &r.Joints[0]; *j.Limit != limit || j.Damping != 0.7 || j.Friction != 0.1 {
		t.Errorf("a joint: %+v", j)
	}
	if len(r.Sensors) != 1 || r.Sensors[0].Width != 320 || r.Sensors[0].FOV != 1.2 || r.Sensors[0].Rate != 25 {
		t.Errorf("sensors: %+v", r.Sensors)
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range []string{"testdata/arm.urdf", "../robots/scout.urdf"} {
		data := must.Get(os.ReadFile(file))(f)
		f.Add(data)
	}
	f.Add([]byte(wrapped(weld)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse("f.urdf", data)
		if err != nil {
			return
		}
		var driven []string
		for i, pose := range r.Poses(nil) {
			if m := pose.Mat4(); m != m {
				t.Errorf("link %d: pose %v", i, pose)
			}
		}
		for i := range r.Joints {
			if r.Joints[i].Type == articulated.Continuous {
				driven = append(driven, r.Joints[i].Name)
			}
		}
		r.NotCarriedOver(driven, nil)
		for _, d := range []*articulated.Differential{nil, {Left: driven}} {
			if d == nil || len(driven) > 0 {
				r.Model(d, noMeshes)
				r.Look(driven, noMeshes)
			}
		}
	})
}
