package ros2

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Late subscribers receive the log, with the levels of ROS 2. The log is also written to the configured logger.
func TestRosout(t *testing.T) {
	d := must.Domain(t)
	var text bytes.Buffer
	c := open(t, Config{Domain: d, Log: slog.New(slog.NewTextHandler(&text, nil))})
	n := must.Get(c.NewNode("/team/a"))(t)
	before := time.Now().Unix()
	log := n.Logger()
	log.Debug("not published")
	log.Info("one", "x", 1)
	log.Warn("two")
	log.With("y", 2).Error("three")
	must.Equal(t, n.Logger(), log, "the second logger")
	var got must.List[logMessage]
	b := must.Get(open(t, Config{Domain: d}).NewNode("/b"))(t)
	def := must.Get(b.MessageType("rcl_interfaces/Log"))(t)
	codec := must.Get(codecFor[logMessage](b, def))(t)
	q := QoS{Reliable: true, TransientLocal: true, Depth: 1000}
	must.Get(SubscribeAs(b, "/rosout", def, q, func(m []byte) error {
		var l logMessage
		err := codec.Decode(m, &l)
		got.Add(l)
		return err
	}))(t)
	must.Until(t, "messages", func() bool { return len(got.All()) == 3 })
	var levels []uint8
	var texts []string
	for i, l := range got.All() {
		levels, texts = append(levels, l.Level), append(texts, l.Msg)
		if l.Name != "team.a" || !strings.HasSuffix(l.File, "rosout_test.go") || l.Line == 0 ||
			!strings.HasSuffix(l.Function, "TestRosout") || int64(l.Stamp.Sec) < before {
			t.Errorf("message %d is %+v", i, l)
		}
	}
	must.Equal(t, levels, []uint8{20, 30, 40}, "levels")
	must.Equal(t, texts, []string{"one x=1", "two", "three y=2"}, "texts")
	must.Equal(t, strings.Count(text.String(), "level="), 3, "lines of the log %s", text.String())
	must.Equal(t, slices.Contains(b.Graph().Publishers["/rosout"], "/team/a"), true, "publisher in the graph")
	must.Do(t, n.Close())
	must.Do(t, c.Close())
	late := must.Get(open(t, Config{Domain: d}).NewNode("/late"))(t)
	must.Do(t, late.Close())
	late.Logger().Info("after the end") // does not panic
}
