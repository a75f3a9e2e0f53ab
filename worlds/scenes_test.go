package worlds

import (
	"errors"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// A level that changes after the world was read, as with --level, is checked again.
func TestLevelThatNoConditionCanJudge(t *testing.T) {
	w, err := Parse("w.toml", []byte(minimal+robot+"sensor = [{ name = \"omni\", level = \"objects\" "+
		"}]\n[[expect]]\nname = \"x\"\nnever = { detects = { robot = \"r\", sensor = \"omni\", name = \"ball\" } }\n"))
	if err != nil {
		t.Fatal(err)
	}
	omni, _ := w.Sensor("r", "omni")
	for _, c := range []struct {
		level abstraction.Level
		want  string
	}{
		{abstraction.Features, ""},
		{abstraction.Ideal,
			`w.toml:8:36: expect[0].never.detects: sensor = "omni": is never at a level that has objects: needs features, objects or truth, as its own level or by set_level`},
	} {
		omni.Level = c.level
		must.Equal(t, strings.Join(lines(w.Locate(w.Validate())), "\n"), c.want, "%s", c.level)
	}
}

// FuzzScenes looks for events and expectations that panic, for errors without a place, and for conditions that Parse
// accepts and that cannot be judged.
func FuzzScenes(f *testing.F) {
	for _, text := range []string{
		"[[area]]\nname='a'\npolygon={points_m=[[0,0],[1,0],[0,1]]}\n[[expect]]\nname='x'\nalways={in_area={name='ball',area='a'},for_s=1}\n",
		"[[event]]\nname='a'\nwhen={all=[{near={name='r',of='ball',within_m=1}},{not={ball_held={}}}]}\nplace={name='ball'}\n[[event]]\nafter='a'\nat_s=1\nrepeat=true\nplace={name='r'}\n",
		"[[event]]\nevery_s=1\ntimes=3\nplace={name='ball'}\n[[expect]]\nname='x'\neventually={any=[{speed={name='ball',over_m_s=1}},{score={team='cyan',at_least=1}}]}\ntimes={at_least=1,at_most=2}\n",
		"[[expect]]\nname='x'\nnever={apart={names=['r','ball'],at_least_m=1}}\nfrom_s=1\nwithin_s=2\n[[expect]]\nname='y'\neventually={line_of_sight={from='r',to='ball'}}\n",
		"[[event]]\nname='a'\nwhen={contact={name='r',with='hall'}}\nplace={name='ball'}\n[[expect]]\nname='x'\neventually={happened={event='a',times=2}}\nafter='a'\n[test]\nfor_s=3\n",
		"[[expect]]\nname='x'\neventually={detects={robot='r',sensor='omni',name='ball'}}\n[[expect]]\nname='y'\nalways={level={robot='r',sensor='omni',is='raw'}}\n",
		"[[expect]]\nname='x'\neventually={sensor_rate={robot='r',sensor='imu',under_hz=1}}\n[[expect]]\nname='y'\nalways={image_brightness={robot='r',sensor='omni',over=0.1}}\n",
		"[[expect]]\nname='x'\nalways={game_state={phase='playing'}}\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		world, err := Parse("w.toml", append([]byte(minimal+robot), data...))
		for _, err := range Errors(err) {
			if at, ok := errors.AsType[*schema.Error](err); !ok || at.Line == 0 {
				t.Errorf("%v: has no place", err)
			}
		}
		if err != nil {
			return
		}
		begin := world.startState()
		judge := func(c *condition.Choice) {
			if c == nil {
				return
			}
			test, err := c.Bind(begin)
			if err == nil {
				test.Holds()
				err = errors.New(test.Now())
			}
			if err.Error() == "" || c.String() == "" {
				t.Errorf("%+v: %q, %q", c, c, err)
			}
		}
		for i := range world.Events {
			judge(world.Events[i].When)
		}
		for i := range world.Expect {
			e := &world.Expect[i]
			judge(e.Eventually)
			judge(e.Always)
			judge(e.Never)
		}
	})
}
