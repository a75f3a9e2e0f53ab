package mapping

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// accepts may name only string fields of the message, not numbers, arrays or missing fields.
func TestAcceptsNamesTexts(t *testing.T) {
	def := must.Get(msg.ParseFull("my_msgs/M", "string frame\nfloat64 x\nstring[] all\nN "+
		"n\n================================================================================\nMSG: my_msgs/N\nstring "+
		"deep\n"))(t)
	for field, ok := range map[string]bool{"frame": true, "n.deep": true, "x": false, "all": false, "n": false,
		"n.shallow": false, "": false, "frame.x": false} {
		_, err := newActions(actionConfig{def: def, accepts: map[string][]string{field: {"", "world"}},
			actor: quantity.World,
			path:  "do"})
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "has no text of that name") {
			t.Errorf("%q: %v", field, err)
		}
	}
}
