package mapping

import (
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Every entry of a shipped profile compiles for each version of ROS for which the profile is.
func TestShippedProfilesCompile(t *testing.T) {
	for _, name := range ProfileNames() {
		all := must.Get(new(loader).Load(name))(t)
		for _, v := range all.Speaks {
			for _, distribution := range []string{"humble", "jazzy"}[:v] {
				p := must.Get(newLoader(nil, v, distribution).Load(name))(t)
				must.Get(Compile(p))(t)
			}
		}
	}
	must.Refuse(newLoader(nil, msg.ROS2, "").Load("nubot"))(t, "is not for ROS 2")
}
