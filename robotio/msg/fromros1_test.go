package msg

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestFromROS1 checks the text of types that ROS 2 lacks, and why others are refused.
func TestFromROS1(t *testing.T) {
	lib := must.Get(LoadROS2("jazzy"))(t)
	part := "\n" + strings.Repeat("=", 80) + "\nMSG: "
	for _, c := range []struct{ name, text, want, refusal string }{
		{name: "my_msgs/Seen", text: "# What is seen.\nuint8 NONE=0 # nothing\nuint8 lower=1\nbyte LOW=-1\n" +
			"string A=b # c\n\nHeader header\ntime[] at # times\nduration  took\nfloat32[2] size\nPart part" + part +
			"my_msgs/Part\ngeometry_msgs/Point centre\ntime at" + part + "std_msgs/Header\nuint32 seq\ntime stamp\n" +
			"string frame_id" + part + "geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z",
			want: "# What is seen.\nuint8 NONE=0 # nothing\nstring A=b # c\n\nstd_msgs/Header header\n" +
				"builtin_interfaces/Time[] at # times\nbuiltin_interfaces/Duration  took\nfloat32[2] size\n" +
				"my_msgs/Part part\n"},
		{name: "my_msgs/A", text: "int32 agentID", refusal: `my_msgs/A: field = "agentID": must be lower-case letters`},
		{name: "my_msgs/A", text: "int32 a__b", refusal: `field = "a__b"`},
		{name: "my_msgs/A", text: "int32 a_", refusal: `field = "a_"`},
		{name: "my_msgs/a", text: "int32 a", refusal: `my_msgs/a: type = "a": must be letters and digits`},
		{name: "MyMsgs/A", text: "int32 a", refusal: `MyMsgs/A: package = "MyMsgs": must be lower-case letters`},
		{name: "my_msgs/A", text: "B b" + part + "my_msgs/B\nint32 X", refusal: `my_msgs/B: field = "X"`},
		{name: "my_msgs/A", text: "int32[0] x", refusal: "an array length must lie in [1, "},
	} {
		from := must.Get(ParseFull(c.name, c.text))(t)
		got, err := lib.FromROS1(from)
		if c.refusal != "" {
			must.Fail(t, err, c.refusal, c.text)
			continue
		}
		must.Do(t, err)
		text, _, _ := strings.Cut(got.Text, strings.Repeat("=", 80))
		must.Equal(t, strings.TrimSuffix(text, "\n"), c.want, "%s", c.name)
		must.Equal(t, got.TypeName, "my_msgs/msg/Seen", "name")
		again := must.Get(ParseFull(got.TypeName, got.Text))(t)
		must.Equal(t, again.Hash, got.Hash, "hash of the full text")
	}
	if lib.msgs["my_msgs/Seen"] != "" {
		t.Error("the library has a type of another program")
	}
	image := must.Get(lib.FromROS1(must.Get(must.Get(Load("std"))(t).Message("sensor_msgs/Image"))(t)))(t)
	must.Equal(t, image.Hash, "RIHS01_d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47", "Image")
}

// All types that come with ROS 1 exist in ROS 2 or can be translated.
func TestFromROS1OfROS(t *testing.T) {
	lib, ros1 := must.Get(LoadROS2("humble"))(t), must.Get(Load("std"))(t)
	for _, name := range ros1.Messages() {
		must.Get(lib.FromROS1(must.Get(ros1.Message(name))(t)))(t)
	}
}
