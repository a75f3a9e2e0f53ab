package mjcf

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/articulated"
)

func noMeshes(string) (*render.Group, error) { return nil, errors.New("no meshes here") }

// wrapped returns a file with a body that has the given text in it, and further sections.
func wrapped(body, more string) string {
	return "<mujoco>\n<worldbody><body name='a'><freejoint/><geom size='0.1'/>\n" + body + "</body></worldbody>\n" +
		more + "</mujoco>"
}

// TestParseRefuses checks that files that break a rule are refused with the place and the rule.
func TestParseRefuses(t *testing.T) {
	joint := func(attributes string) string {
		return wrapped("<body name='b'><joint name='j' "+attributes+"/><geom size='0.1'/></body>", "")
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "f.xml:1:1: is no XML: it has no element"},
		"no XML":      {"<mujoco>", "f.xml:1:1: is no XML"},
		"URDF":        {"<robot name='r'/>", "f.xml:1:1: must begin with <mujoco>, as MJCF does: it is <robot>"},
		"include":     {"<mujoco>\n<include file='g.xml'/></mujoco>", "f.xml:2:1: <include>: files that include"},
		"no body":     {"<mujoco><worldbody/></mujoco>", "f.xml:1:1: <mujoco>: must have a <body> in <worldbody>"},
		"two":         {"<mujoco><worldbody><body name='a'/>\n<body name='b'/></worldbody></mujoco>", `f.xml:2:1: <body name="b">: is a second robot beside <body name="a">`},
		"free inside": {wrapped("<body><freejoint name='j'/></body>", ""), `f.xml:3:7: <freejoint name="j">: moves freely: only the outermost body may`},
		"twice":       {wrapped("<body name='a'/>", ""), `f.xml:3:1: <body name="a">: the file has this name twice`},
		"ball":        {joint("type='ball'"), `f.xml:3:16: <joint name="j">: type = "ball": joints of this type are not simulated`},
		"type":        {joint("type='screw'"), `type = "screw": must be hinge, slide or free`},
		"axis":        {joint("axis='0 0 0'"), `<joint name="j">: axis: an axis has no direction`},
		"numbers":     {joint("axis='0 0'"), `axis = "0 0": must be 3 numbers`},
		"no number":   {joint("pos='0 0 nan'"), `pos = "nan": must be a number`},
		"too far":     {joint("pos='0 0 1e10'"), `pos = "1e10": must lie within ±1e+09`},
		"range":       {joint("range='2 1' limited='true'"), `range = 2 1: the first number must be below the second`},
		"limited":     {joint("limited='maybe'"), `limited = "maybe": must be true, false or auto`},
		"damping":     {joint("damping='-1'"), `damping = -1: must not be negative`},
		"class":       {joint("class='c'"), `class = "c": is no default class`},
		"autolimits":  {strings.Replace(joint("range='0 1'"), "<mujoco>", "<mujoco><compiler autolimits='false'/>", 1), `must have limited = "true" or "false" beside range`},
		"angle":       {"<mujoco><compiler angle='grad'/></mujoco>", `<compiler>: angle = "grad": must be degree or radian`},
		"sequence":    {"<mujoco><compiler eulerseq='xy'/></mujoco>", `eulerseq = "xy": must be three of x, y, z`},
		"two ways":    {wrapped("<body quat='1 0 0 0' euler='1 2 3'/>", ""), `<body>: has quat and euler: must have one orientation`},
		"quat":        {wrapped("<body quat='0 0 0 0'/>", ""), `<body>: quat: must not be 0`},
		"size":        {wrapped("<geom type='box' size='1 1'/>", ""), `<geom>: size: must have 3 numbers for the type box`},
		"negative":    {wrapped("<geom size='-1'/>", ""), `<geom>: size = [-1]: must be positive`},
		"geom":        {wrapped("<geom type='cone' size='1'/>", ""), `type = "cone": must be sphere, capsule`},
		"no mesh":     {wrapped("<geom type='mesh'/>", ""), `<geom>: must have the attribute mesh`},
		"heavy mesh":  {wrapped("<geom type='mesh' mesh='m'/>", "<asset><mesh file='m.stl'/></asset>"), `f.xml:3:1: <geom>: the mesh gives its body mass, which is not computed for meshes`},
		"colour":      {wrapped("<geom size='1' rgba='2 0 0 1'/>", ""), `rgba = [2 0 0 1]: must lie in [0, 1]`},
		"material":    {wrapped("<geom size='1' material='m'/>", ""), `material = "m": is no material`},
		"contype":     {wrapped("<geom size='1' contype='0.5'/>", ""), `contype = 0.5: must be a whole number`},
		"mass":        {wrapped("<body><inertial pos='0 0 0' mass='-1'/></body>", ""), `<inertial>: mass = -1: must not be negative`},
		"no mass":     {wrapped("<body><inertial pos='0 0 0'/></body>", ""), `<inertial>: must have the attribute mass`},
		"moments":     {wrapped("<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 -1'/></body>", ""), `moments of inertia 1 1 -1: must not be negative`},
		"exclude":     {wrapped("", "<contact><exclude body1='a' body2='q'/></contact>"), `<exclude>: "q" is no body`},
		"class twice": {"<mujoco><default><default class='c'/><default class='c'/></default></mujoco>", `<default class="c">: the file has this class twice`},
		"scale":       {wrapped("", "<asset><mesh file='m.stl' scale='1 0 1'/></asset>"), `scale = [1 0 1]: no number may be 0`},
	} {
		must.Refuse(Parse("f.xml", []byte(c.text)))(t, c.want, name)
	}
}

func features(t testing.TB) *articulated.Robot {
	t.Helper()
	return must.Get(Parse("features.xml", must.Get(os.ReadFile("testdata/features.xml"))(t)))(t)
}

// TestNothingIsSkippedSilently checks that everything that a robot has not is listed with its line.
func TestNothingIsSkippedSilently(t *testing.T) {
	var got []string
	for _, n := range features(t).NotCarriedOver(nil, nil) {
		got = append(got, n.String())
	}
	want := []string{
		"<option> (line 3)",
		"<light> of <worldbody> (line 22)",
		"<geom> of <worldbody> (line 23)",
		`<site name="imu"> of <body> (line 26)`,
		"<camera> of <body> (line 27)",
		"attribute stiffness of <joint> (line 53)",
		"<muscle> of <actuator> (line 63)",
		"<motor> of <actuator> (line 64)",
		`<gyro name="turning"> of <sensor> (line 66)`,
		"<force> of <sensor> (line 66)",
		"<key> of <keyframe> (line 69)",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got:\n%s\nwant:\n%s", g, w)
	}
}

// TestEnginesGetMotorsAndShapes checks what engines get of a file: gains and limits of motors, the start, shapes, and
// which links pass through each other.
func TestEnginesGetMotorsAndShapes(t *testing.T) {
	r := features(t)
	// the meshes of the file are only visible, and so are not asked for
	m := must.Get(r.Mechanism(nil, noMeshes))(t)
	if m.Trunk == nil || !(math.Abs(m.Trunk.Mass-must.Get(sumOf(r, "base", "post"))(t)) <= 1e-12) {
		t.Fatalf("trunk %+v, want the mass of base and post", m.Trunk)
	}
	byName := map[string]int{}
	for i := range m.Joints {
		byName[m.Joints[i].Name] = i
	}
	near := func(what string, got, want float64) {
		must.Near(t, what, got, want, 1e-12)
	}
	twist, lift, elbow, grip := &m.Joints[byName["twist"]], &m.Joints[byName["lift"]], &m.Joints[byName["elbow"]],
		&m.Joints[byName["grip"]]
	near("effort of twist", twist.MaxEffort, 6) // 2 N·m of control, by the gear 3 of the class
	near("start of twist", twist.Start, 0.2)
	near("effort of lift", lift.MaxEffort, 30)
	near("gain of lift", lift.P, 50)
	near("damping gain of lift", lift.D, 5)
	near("start of lift", lift.Start, 0.05)
	near("gain of elbow", elbow.P, 80) // 20 by the gear 2, twice
	near("damping gain of elbow", elbow.D, 6)
	near("effort of elbow", elbow.MaxEffort, 5) // min(4, 3·2) of the first motor, 1 of the second
	near("armature of elbow", elbow.Armature, 0.01)
	if twist.Passive || !grip.Passive || !math.IsInf(elbow.Upper, 1) || !lift.Slides || twist.Mass != 0 {
		t.Errorf("joints %+v, %+v, %+v, %+v", twist, lift, elbow, grip)
	}
	near("start of grip", grip.Start, math.Pi/2) // at its limit, where the file has 2 rad
	if n := len(m.Trunk.Shapes); n != 5 || m.Trunk.Shapes[0].Friction != 0.8 {
		t.Errorf("%d shapes of the trunk: %+v, want 5", n, m.Trunk.Shapes)
	}
	if s := lift.Shapes; len(s) != 1 || s[0].Friction != 0.6 || s[0].Half[0] != 0.02 {
		t.Errorf("shapes of lift: %+v", s)
	}
	// hand, which grip moves, passes through base, but not through post
	for _, pair := range m.Apart {
		if pair == [2]int{-1, byName["grip"]} {
			t.Errorf("the hand passes through the trunk, want that it touches the post: %v", m.Apart)
		}
	}
}

// sumOf returns the mass of some links together.
func sumOf(r *articulated.Robot, links ...string) (mass float64, err error) {
	for _, name := range links {
		i := r.Link(name)
		if i < 0 || r.Links[i].Inertial == nil {
			return 0, errors.New(name + " has no mass")
		}
		mass += r.Links[i].Inertial.Mass
	}
	return mass, nil
}

// TestLayersAndExclusions checks which links of a robot pass through each other.
func TestLayersAndExclusions(t *testing.T) {
	limb := func(name, attributes string) string {
		return "<body name='" + name + "'><joint/><geom size='0.1' " + attributes + "/></body>"
	}
	r := must.Get(Parse("f.xml", []byte(wrapped(limb("b", "")+limb("c", "contype='2' conaffinity='2'")+limb("d", ""),
		"<contact><exclude body1='d' body2='b'/></contact>"))))(t)
	m := must.Get(r.Mechanism(nil, noMeshes))(t)
	index := func(joint string) int {
		for i := range m.Joints {
			if m.Joints[i].Name == joint {
				return i
			}
		}
		return -1
	}
	b, c, d := index("b_joint"), index("c_joint"), index("d_joint")
	want := map[[2]int]bool{{-1, c}: true, {min(b, c), max(b, c)}: true, {min(c, d), max(c, d)}: true,
		{min(b, d), max(b, d)}: true}
	for _, pair := range m.Apart {
		if !want[pair] {
			t.Errorf("%v pass through each other", pair)
		}
		delete(want, pair)
	}
	if b < 0 || c < 0 || d < 0 || len(want) > 0 {
		t.Errorf("%v do not pass through each other", want)
	}
}

// TestMassAndPitchOfRoot checks that <compiler> sets the mass of the whole robot, and that a root keeps its pitch.
func TestMassAndPitchOfRoot(t *testing.T) {
	r := must.Get(Parse("f.xml", []byte(`<mujoco><compiler settotalmass="12"/><worldbody>
<body euler="0 90 0"><geom size="0.1" mass="1"/><body name="b" pos="1 0 0"><joint/><geom size="0.1" mass="3"/></body></body>
</worldbody></mujoco>`)))(t)
	if mass := must.Get(sumOf(r, "b"))(t); !(math.Abs(mass-9) <= 1e-12) {
		t.Errorf("mass %g kg, want 9", mass)
	}
	if at := r.Poses(nil)[r.Link("b")].Pos; !(math.Abs(at[2]+1) <= 1e-12) {
		t.Errorf("b is at %v, want 1 m below the root", at)
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range own {
		if strings.HasSuffix(file, ".xml") {
			f.Add(must.Get(os.ReadFile(file))(f))
		}
	}
	f.Add([]byte(wrapped("<frame euler='1 2 3'><geom type='ellipsoid' size='1 2 3'/></frame>", "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse("f.xml", data)
		if err != nil {
			return
		}
		for i, pose := range r.Poses(nil) {
			if m := pose.Mat4(); m != m {
				t.Errorf("link %d: pose %v", i, pose)
			}
		}
		r.NotCarriedOver(nil, nil)
		r.Model(nil, noMeshes)
		r.Look(nil, noMeshes)
		r.Mechanism(nil, noMeshes)
	})
}
