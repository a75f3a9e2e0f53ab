package msg

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// ros2Hashes returns the hash of every type of a library of ROS 2, by its name in ROS 2.
func ros2Hashes(t *testing.T, l *Library) map[string]string {
	t.Helper()
	hashes := map[string]string{}
	for _, def := range ros2Definitions(t, l) {
		hashes[def.TypeName] = def.Hash
	}
	for _, name := range l.Services() {
		s := must.Get(l.Service(name))(t)
		hashes[strings.Replace(name, "/", "/srv/", 1)] = s.Hash
	}
	return hashes
}

// ros2Definitions returns all messages of a library of ROS 2, with those of services and actions.
func ros2Definitions(t testing.TB, l *Library) (all []*Definition) {
	t.Helper()
	for _, name := range l.Messages() {
		all = append(all, must.Get(l.Message(name))(t))
	}
	for _, name := range l.Services() {
		s := must.Get(l.Service(name))(t)
		all = append(all, s.Request, s.Response)
	}
	for name := range l.actions {
		a := must.Get(l.ROS2Action(name))(t)
		all = append(all, a.Goal, a.Result, a.Feedback, a.SendGoal.Request, a.SendGoal.Response, a.GetResult.Request,
			a.GetResult.Response, a.FeedbackMessage)
	}
	return all
}

func TestHash(t *testing.T) {
	got := ros2Hashes(t, must.Get(LoadROS2("jazzy"))(t))
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/rihs01.txt"))(t))) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		must.Equal(t, got[words[0]], "RIHS01_"+words[1], "%s", words[0])
	}
}

// TestROS2Grammar reads what definitions of ROS 2 have beyond those of ROS 1.
func TestROS2Grammar(t *testing.T) {
	l := Library{grammar: ros2}
	must.Do(t, l.AddMessage("p/Other", "uint8 x 7 # say \"seven\"\n"))
	must.Do(t, l.AddMessage("builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n"))
	must.Do(t, l.AddMessage("p/M", "uint8 A=0xff\nstring S=\"a\" # it's \"b\"=c\nbyte b\nbyte B=255\n"+
		"string<=5 s \"it's\"\nstring<=5[<=3] list ['a', 'b']\nfloat32[<=4]\tbounded\nOther[2] others\n"+
		"builtin_interfaces/msg/Time t\nint32[] n [1, 2]\n"))
	m := must.Get(l.Message("p/M"))(t)
	must.Equal(t, m.Constants, []Constant{{"uint8", "A", "0xff"}, {"string", "S", `"a"`}, {"byte", "B", "255"}},
		"constants")
	must.Equal(t, m.Fields, []Field{{Name: "b", Base: "byte", Len: NoArray},
		{Name: "s", Base: "string", Len: NoArray, MostText: 5},
		{Name: "list", Base: "string", Len: Variable, Most: 3, MostText: 5},
		{Name: "bounded", Base: "float32", Len: Variable, Most: 4}, {Name: "others", Base: "p/Other", Len: 2},
		{Name: "t", Base: "builtin_interfaces/Time", Len: NoArray}, {Name: "n", Base: "int32", Len: Variable}},
		"fields")
	must.Equal(t, m.Fields[2].Type()+m.Fields[3].Type(), "string<=5[<=3]float32[<=4]", "types")
	must.Equal(t, m.TypeName+m.MD5, "p/msg/M", "type name and MD5 sum")
}

func TestROS2Errors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\nwstring w", `p/M.msg:2: type = "wstring": has no encoding that all`},
		{"wstring<=3[] w", "has no encoding that all"},
		{"time t", "use builtin_interfaces/Time"},
		{"Header header", "field p/Header header: unknown type"},
		{"int8[0] x", `type = "int8[0]": an array length must lie in [1, 1048576]`},
		{"int8[<=0] x", "must lie in [1,"},
		{"string<=x s", "must lie in [1,"},
		{"int8 x 300", `p/M.msg:1: field int8 x = "300": must be a default value of the type`},
		{"int8[] x 3", "must be a default value"},
		{"p/M x 3", "must be a default value"},
		{"byte B=-1", `constant B = "-1": must be a byte`},
		{"int32", "a field is a type and a name"},
	} {
		l := Library{grammar: ros2}
		err := l.AddMessage("p/M", c.text)
		if err == nil {
			_, err = l.Message("p/M")
		}
		must.Fail(t, err, c.want, c.text)
	}
	l := must.Get(LoadROS2("jazzy"))(t)
	must.Fail(t, l.AddAction("p/A", "int8 x\n---\n"), "p/A.action: an action has two --- lines", "action")
	must.Fail(t, l.AddAction("p/A", "---\n---\n---\n"), "p/A.action: has too many --- lines", "action")
	must.Fail(t, l.AddAction("p/A", "---\n?\n---\n"), "p/A.action:1: ", "action")
	must.Refuse(l.ROS2Action("p/A"))(t, "action p/A: unknown type", "action")
	must.Refuse(LoadROS2("foxy"))(t, `distribution = "foxy": must be humble or jazzy`, "distribution")
}

// TestROS2Folders adds a team's own folder, in the layout of packages of ROS 2.
func TestROS2Folders(t *testing.T) {
	l := must.Get(LoadROS2("humble"))(t)
	must.Do(t, l.AddFS(fstest.MapFS{
		"team/msg/Ball.msg":         {Data: []byte("std_msgs/Header header\nfloat32 x\n")},
		"team/srv/Find.srv":         {Data: []byte("Ball[] seen\n---\nbool ok true\n")},
		"team/srv/Ball.srv":         {Data: []byte("---\nBall ball\n")},
		"team/action/Chase.action":  {Data: []byte("Ball ball\n---\n---\nfloat32 left\n")},
		"team/msg/unused/notes.txt": {Data: []byte("no definition")},
	}))
	a := must.Get(l.ROS2Action("team/Chase"))(t)
	must.Equal(t, a.SendGoal.Request.TypeName, "team/action/Chase_SendGoal_Request", "type name")
	must.Equal(t, a.SendGoal.Request.Fields[1].Base, "team/Chase_Goal", "field goal")
	must.Equal(t, a.Result.Fields, []Field{placeholder}, "fields of an empty result")
	must.Equal(t, len(a.Hash), len("RIHS01_")+64, "length of the hash")
	must.Equal(t, must.Get(l.Service("team/Find"))(t).Request.TypeName, "team/srv/Find_Request", "type name")
	if hash := must.Get(l.Service("team/Ball"))(t).Hash; hash == must.Get(l.Message("team/Ball"))(t).Hash {
		t.Errorf("service team/Ball has the hash of message team/Ball, %s", hash)
	}
	must.Equal(t, must.Get(l.Message("rmw_dds_common/Gid"))(t).Fields[0].Len, 24, "bytes of a Gid of Humble")
}

// TestROS2Text checks that every type of ROS 2, parsed from its full text, has the same hash. MCAP files have this text
// as schemas of encoding ros2msg.
func TestROS2Text(t *testing.T) {
	for _, want := range ros2Definitions(t, must.Get(LoadROS2("jazzy"))(t)) {
		got := must.Get(ParseFull(want.TypeName, want.Text))(t)
		must.Equal(t, got.Hash, want.Hash, "%s: hash", want.TypeName)
		must.Equal(t, got.TypeName+got.Text, want.TypeName+want.Text, "type name and text")
	}
	clock := must.Get(must.Get(LoadROS2("jazzy"))(t).Message("rosgraph_msgs/Clock"))(t)
	must.Equal(t, clock.Text, "builtin_interfaces/Time clock\n\n"+separator+
		"MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n", "text of rosgraph_msgs/msg/Clock")
}
