package worlds

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Every rule of events, conditions, areas and expectations reports the place and the value that break it. Each text
// follows a world of one robot r, from line 6 on.
func TestScenesNamePlaceValueAndRule(t *testing.T) {
	when := func(condition string) string {
		return "[[event]]\nwhen = " + condition + "\nplace = { name = \"ball\" }\n"
	}
	expect := func(keys string) string { return "[[expect]]\nname = \"x\"\n" + keys + "\n" }
	const held = "eventually = { ball_held = {} }\n"
	event := func(keys string) string { return "[[event]]\n" + keys + "\nplace = { name = \"ball\" }\n" }
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"area of the field", "[[area]]\nname = \"cyan_goal\"\ncircle = { radius_m = 1 }\n", []string{
			`7:1: area[0]: name = "cyan_goal": is already the name of an area of the field`}},
		{"area twice", "[[area]]\nname = \"a\"\ncircle = { radius_m = 1 }\n[[area]]\nname = \"a\"\ncircle = { " +
			"radius_m = 1 }\n", []string{
			`10:1: area[1]: name = "a": already used in line 7`}},
		{"shapes", "[[area]]\nname = \"a\"\n[[area]]\nname = \"b\"\ncircle = { radius_m = 0 }\n[[area]]\nname = " +
			"\"c\"\nrectangle = { x_m = [2, 1], y_m = [1, 2] }\nz_m = [0, -1]\n" +
			"[[area]]\nname = \"d\"\npolygon = { points_m = [[0, 0], [1, 1]] }\n[[area]]\nname = \"e\"\nrectangle = " +
			"{ x_m = [2, 1] }\n", []string{
			`6:1: area[0]: an area needs one of rectangle, circle, polygon`,
			`10:12: area[1].circle: radius_m = 0: must lie in (0, 50]`,
			`14:11: area[2]: z_m[1] = -1: must lie in [0, 50]`,
			`17:13: area[3].polygon: points_m = [[0, 0], [1, 1]]: must have at least 3 elements`,
			`20:1: area[4].rectangle: y_m: must be given`}},
		{"two shapes",
			"[[area]]\nname = \"a\"\ncircle = { radius_m = 1 }\nrectangle = { x_m = [1, 2], y_m = [1, 2] }\n", []string{
				`6:1: area[0]: has rectangle and circle: an area needs one of rectangle, circle, polygon`}},
		{"a polygon of no area", "[[area]]\nname = \"a\"\npolygon = { points_m = [[0, 0], [1, 1], [2, 2]] }\n",
			[]string{
				`8:13: area[0]: polygon.points_m = [[0, 0], [1, 1], [2, 2]]: all corners lie on one line: there is no area`}},
		{"a rectangle the wrong way round", "[[area]]\nname = \"c\"\nrectangle = { x_m = [2, 1], y_m = [1, 2] }\nz_m " +
			"= [1, 0.5]\n", []string{
			`8:15: area[0]: rectangle.x_m = [2, 1]: the first must be less than the second`,
			`9:1: area[0]: z_m = [1, 0.5]: the first must be less than the second`}},

		{"no condition", when("{ for_s = 1 }"), []string{
			`7:1: event[0].when: needs one condition of in_area, near, apart, line_of_sight, contact, speed, turn, ball_held, score, game_state, decided, level, detects`}},
		{"two conditions", when("{ ball_held = {}, score = { team = \"cyan\", at_least = 1 } }"), []string{
			`7:1: event[0].when: has ball_held and score: needs one condition; all = [...] joins several`}},
		{"no such condition", when("{ ball_hold = {} }"), []string{
			`7:10: event[0].when: ball_hold = {}: unknown key; did you mean ball_held?`}},
		{"for too long", when("{ ball_held = {}, for_s = -1 }"), []string{
			`7:26: event[0].when: for_s = -1: must lie in [0, 1000000]`}},
		{"in_area", when("{ in_area = { name = \"bal\", area = \"magenta_gol\" } }"), []string{
			`7:22: event[0].when.in_area: name = "bal": is neither ball, robot nor obstacle`,
			`7:36: event[0].when.in_area: area = "magenta_gol": there is no such area; did you mean magenta_goal?`}},
		{"in_area of an area of the world", "[[area]]\nname = \"wing\"\ncircle = { radius_m = 1 }\n" +
			when("{ in_area = { name = \"ball\", area = \"wing\" } }"), nil},
		{"in_area without a name", when("{ in_area = { area = \"field\" } }"), []string{
			`7:10: event[0].when.in_area: name: must be given`}},
		{"near", when("{ near = { name = \"r\", of = \"s\", within_m = 1 } }"), []string{
			`7:31: event[0].when.near: of = "s": is neither ball, robot nor obstacle`}},
		{"near itself", when("{ near = { name = \"r\", of = \"r\", within_m = 1 } }"), []string{
			`7:31: event[0].when.near: of = "r": must be a body other than name`}},
		{"apart", when("{ apart = { names = [\"r\", \"ball\", \"r\", \"s\"], at_least_m = 1 } }"), []string{
			`7:42: event[0].when.apart: names[2] = "r": is named twice`,
			`7:47: event[0].when.apart: names[3] = "s": is neither ball, robot nor obstacle`}},
		{"apart from nobody", when("{ apart = { names = [\"r\"], at_least_m = 0 } }"), []string{
			`7:20: event[0].when.apart: names = ["r"]: must have at least 2 elements`,
			`7:35: event[0].when.apart: at_least_m = 0: must lie in (0, 100]`}},
		{"line of sight", when("{ line_of_sight = { from = \"ball\", to = \"ball\" } }"), []string{
			`7:43: event[0].when.line_of_sight: to = "ball": must be a body other than from`}},
		{"line of sight to nobody", when("{ line_of_sight = { from = \"s\", to = \"u\" } }"), []string{
			`7:28: event[0].when.line_of_sight: from = "s": is neither ball, robot nor obstacle`,
			`7:40: event[0].when.line_of_sight: to = "u": is neither ball, robot nor obstacle`}},
		{"contact", when("{ any = [{ contact = { name = \"s\", with = \"hall\" } }, { contact = { name = \"r\", with " +
			"= \"u\" } }, { contact = { name = \"r\", with = \"r\" } }] }"), []string{
			`7:31: event[0].when.any[0].contact: name = "s": is neither ball, robot nor obstacle`,
			`7:88: event[0].when.any[1].contact: with = "u": is neither ball, robot nor obstacle`,
			`7:130: event[0].when.any[2].contact: with = "r": must be a body other than name`}},
		{"speed", when("{ speed = { name = \"r\" } }"), []string{
			`7:10: event[0].when.speed: needs over_m_s, under_m_s or both`}},
		{"speed between", when("{ speed = { name = \"r\", over_m_s = 2, under_m_s = 1 } }"), []string{
			`7:46: event[0].when.speed: under_m_s = 1: must be more than over_m_s`}},
		{"ball_held", when("{ all = [{ ball_held = { robot = \"s\" } }, { ball_held = { robot = \"r\", team = " +
			"\"cyan\" } }] }"), []string{
			`7:33: event[0].when.all[0].ball_held: robot = "s": there is no such robot`,
			`7:79: event[0].when.all[1].ball_held: team = "cyan": cannot be combined with robot`}},
		{"ball_held by another team", when("{ ball_held = { team = \"blue\" } }"), []string{
			`7:24: event[0].when.ball_held: team = "blue": must be one of cyan, magenta`}},
		{"ball_held without a dribbler", "[[robot]]\nname = \"s\"\npose = { x_m = 3 }\nbody = { radius_m = 0.25, " +
			"height_m = 0.8, mass_kg = 30, inertia_zz_kg_m2 = 1, com_height_m = 0.2 }\n" +
			"drive = { level = \"chassis\", wheel_radius_m = 0.08, max_wheel_speed_m_s = 3, max_speed_m_s = 3, " +
			"max_omega_deg_s = 400, max_accel_m_s2 = 2, max_alpha_deg_s2 = 400, wheel_angles_deg = [60, 180, " +
			"300], wheel_distance_m = 0.2 }\n" +
			when("{ ball_held = { robot = \"s\" } }"),
			[]string{`12:24: event[0].when.ball_held: robot = "s": has no dribbler`}},
		{"score", when("{ score = { team = \"cyan\" } }"), []string{
			`7:10: event[0].when.score: needs at_least, at_most or both`}},
		{"score of no number", when("{ score = { team = \"cyan\", at_least = 3, at_most = 2 } }"), []string{
			`7:49: event[0].when.score: at_most = 2: must be at least at_least`}},
		{"game_state", when("{ game_state = {} }"), []string{
			`7:10: event[0].when.game_state: needs phase, half, set_piece or team`}},
		{"game_state that is none", when("{ game_state = { phase = \"plaing\", set_piece = \"start\" } }"), []string{
			`7:25: event[0].when.game_state: phase = "plaing": must be one of stopped, set_piece, playing, parked; did you mean playing?`,
			`7:43: event[0].when.game_state: set_piece = "start": must be one of`}},
		{"level", when("{ level = { robot = \"r\", sensor = \"omi\", is = \"raw\" } }"), []string{
			`7:33: event[0].when.level: sensor = "omi": there is no sensor r.omi, did you mean "r.omni"?`}},
		{"level that is none", when("{ level = { robot = \"r\", sensor = \"omni\", is = \"pose\" } }"), []string{
			`7:50: event[0].when.level: is = "pose": must be one of raw, ideal, features, objects, truth for kind omni`}},
		{"detects", when("{ detects = { robot = \"r\", sensor = \"imu\", name = \"s\" } }"), []string{
			`7:35: event[0].when.detects: sensor = "imu": is no camera but of kind imu`,
			`7:51: event[0].when.detects: name = "s": is neither ball, robot nor obstacle`}},
		{"detects itself", when("{ detects = { robot = \"r\", sensor = \"omni\", name = \"r\" } }"), []string{
			`7:35: event[0].when.detects: sensor = "omni": is never at a level that has objects: needs features, objects or truth, as its own level or by set_level`,
			`7:52: event[0].when.detects: name = "r": does not detect itself`}},
		{"detects at no level", expect("never = { not = { detects = { robot = \"r\", sensor = \"omni\", name = " +
			"\"ball\" } } }"), []string{
			`8:44: expect[0].never.not.detects: sensor = "omni": is never at a level that has objects: needs features, objects or truth`}},
		{"detects at its own level", "sensor = [{ name = \"omni\", level = \"objects\" }]\n" +
			expect("never = { detects = { robot = \"r\", sensor = \"omni\", name = \"ball\" } }"), nil},
		{"detects at the level of an event", "[[event]]\nset_level = { robot = \"r\", sensor = \"omni\", level = " +
			"\"truth\" }\n" + expect("never = { detects = { robot = \"r\", sensor = \"omni\", name = \"ball\" } }"),
			nil},
		{"detects at the level of another", "[[event]]\nset_level = { robot = \"r\", sensor = \"front\", level = " +
			"\"truth\" }\n[[event]]\nset_level = { robot = \"r\", sensor = \"omni\", level = \"ideal\" }\n" +
			expect("never = { detects = { robot = \"r\", sensor = \"omni\", name = \"ball\" } }"), []string{
			`12:36: expect[0].never.detects: sensor = "omni": is never at a level that has objects`}},
		{"image_brightness at no level", "sensor = [{ name = \"omni\", level = \"objects\" }]\n" +
			expect("never = { image_brightness = { robot = \"r\", sensor = \"omni\", over = 0.5 } }"), []string{
			`9:45: expect[0].never.image_brightness: sensor = "omni": is never at a level that has images: needs raw or ideal, as its own level or by set_level`}},
		{"sensor_rate", when("{ sensor_rate = { robot = \"r\", sensor = \"omni\" } }"), []string{
			`7:10: event[0].when.sensor_rate: needs over_hz, under_hz or both`}},
		{"sensor_rate of none", when("{ sensor_rate = { robot = \"s\", sensor = \"omni\", over_hz = 1 } }"), []string{
			`7:39: event[0].when.sensor_rate: sensor = "omni": there is no sensor s.omni, did you mean "r.omni"?`}},
		{"image_brightness",
			when("{ image_brightness = { robot = \"r\", sensor = \"imu\", over = 0.5, under = 0.4 } }"), []string{
				`7:44: event[0].when.image_brightness: sensor = "imu": is no camera but of kind imu`,
				`7:72: event[0].when.image_brightness: under = 0.4: must be more than over`}},
		{"happened", "[[event]]\nname = \"kick\"\nplace = { name = \"ball\" }\n" +
			when("{ happened = { event = \"kik\" } }"), []string{
			`10:23: event[1].when.happened: event = "kik": there is no such event; did you mean kick?`}},
		{"not", when("{ not = { not = {} } }"), []string{
			`7:18: event[0].when.not.not: needs one condition of in_area`}},
		{"all of none", when("{ all = [] }"), []string{
			`7:10: event[0].when.all: needs one condition at least`}},

		{"event twice", event("name = \"a\"") + event("name = \"a\""), []string{
			`10:1: event[1]: name = "a": is already the name of event[0]`}},
		{"every and when", event("every_s = 1\nwhen = { ball_held = {} }"), []string{
			`7:1: event[0]: every_s = 1: cannot be combined with when`}},
		{"every, shorter than a step", event("every_s = 0.001"), []string{
			`7:1: event[0]: every_s = 0.001: must be at least a step, 0.005 s`}},
		{"repeat a time", event("at_s = 1\nrepeat = true"), []string{
			`8:1: event[0]: repeat = true: needs when or after; every_s repeats by itself`}},
		{"times of one", event("when = { ball_held = {} }\ntimes = 2"), []string{
			`8:1: event[0]: times = 2: needs every_s or repeat`}},
		{"after itself", event("name = \"a\"\nafter = \"a\""), []string{
			`8:1: event[0]: after = "a": waits for itself`}},
		{"after each other", event("name = \"a\"\nafter = \"c\"") + event("name = \"b\"\nafter = \"a\"") +
			event("name = \"c\"\nafter = \"b\"") + event("after = \"a\""), []string{
			`8:1: event[0]: after = "c": waits for itself`,
			`12:1: event[1]: after = "a": waits for itself`,
			`16:1: event[2]: after = "b": waits for itself`}},
		{"when each other have happened", event("name = \"a\"\nwhen = { happened = { event = \"b\" } }") +
			event("name = \"b\"\nwhen = { all = [{ ball_held = {} }, { all = [{ happened = { event = \"c\" } }] }] }") +
			event("name = \"c\"\nafter = \"a\"") +
			event("name = \"d\"\nafter = \"a\"\nwhen = { happened = { event = \"b\" } }"), []string{
			`8:1: event[0]: when = { happened = { event = "b" } }: waits for itself: it needs event b to have happened, which cannot happen before`,
			`12:1: event[1]: when = { all = [{ ball_held = {} }, { all = [{ happened = { event …: waits for itself: it needs event c to have happened`,
			`16:1: event[2]: after = "a": waits for itself`}},
		{"when it has happened itself", event("name = \"a\"\nwhen = { happened = { event = \"a\" } }"), []string{
			`8:1: event[0]: when = { happened = { event = "a" } }: waits for itself: it needs event a to have happened`}},
		{"what an event can do without", event("name = \"a\"\nrepeat = true\nwhen = { any = [{ ball_held = {} }, { "+
			"happened = { event = \"b\" } }] }") +
			event("name = \"b\"\nwhen = { not = { happened = { event = \"a\" } } }") +
			event("name = \"c\"\nwhen = { not = { happened = { event = \"c\" } } }"), nil},

		{"too fast a kick", "[[event]]\nkick = { robot = \"r\", way = \"flat\", speed_m_s = 99999 }\n[[event]]\nkick " +
			"= { robot = \"r\", way = \"lob\", lob_speed_m_s = -99999 }\n", []string{
			`7:37: event[0].kick: speed_m_s = 99999: must lie in [-10000, 10000]`,
			`9:36: event[1].kick: lob_speed_m_s = -99999: must lie in [-10000, 10000]`}},
		{"a kick that is limited", "[[event]]\nkick = { robot = \"r\", way = \"flat\", speed_m_s = 99999, limit_m_s " +
			"= 5 }\n", nil},
		{"too fast a drive", "[[event]]\ndrive = { robot = \"r\", vx_m_s = 99999, vy_m_s = -99999, omega_deg_s = " +
			"9999999 }\n", []string{
			`7:24: event[0].drive: vx_m_s = 99999: must lie in [-10000, 10000]`,
			`7:40: event[0].drive: vy_m_s = -99999: must lie in [-10000, 10000]`,
			`7:57: event[0].drive: omega_deg_s = 9999999: must lie in [-572957, 572957]`}},
		{"after nothing", event("name = \"kick\"") + event("after = \"kik\""), []string{
			`10:1: event[1]: after = "kik": there is no such event; did you mean kick?`}},

		{"expectation of nothing", expect(""), []string{
			`6:1: expect[0]: an expectation needs one of eventually, always, never`}},
		{"expectation of two", expect(held + "never = { ball_held = {} }"), []string{
			`6:1: expect[0]: has eventually and never: an expectation needs one of eventually, always, never`}},
		{"expectation twice", expect(held) + expect(held), []string{
			`11:1: expect[1]: name = "x": already used in line 7`}},
		{"expectation of a wrong condition", expect("always = { near = { name = \"r\", of = \"s\", within_m = 1 } }"),
			[]string{
				`8:33: expect[0].always.near: of = "s": is neither ball, robot nor obstacle`}},
		{"window", event("name = \"kick\"") +
			expect(held+"from_s = 2\nwithin_s = 1\nafter = \"kik\"\nbefore = \"kick\""), []string{
			`13:1: expect[0]: within_s = 1: must not be less than from_s: both are counted from the same time`,
			`14:1: expect[0]: after = "kik": there is no such event; did you mean kick?`}},
		{"window of no length", event("name = \"kick\"") + expect(held+"after = \"kick\"\nbefore = \"kick\""), []string{
			`13:1: expect[0]: before = "kick": must be an event other than after`}},
		{"windows that no test reaches", "[test]\nfor_s = 5\n" + event("name = \"kick\"") +
			expect(held+"from_s = 6\nwithin_s = 7\nafter = \"kick\"") +
			"[[expect]]\nname = \"y\"\n" + held + "within_s = 5.5\n", []string{
			`14:1: expect[0]: from_s = 6: must be at most [test] for_s = 5: no test lasts until the window begins`,
			`20:1: expect[1]: within_s = 5.5: must be at most [test] for_s = 5: no test lasts until the window ends`}},
		{"windows that a test reaches", "[test]\nfor_s = 5\n" + event("name = \"kick\"") +
			expect(held+"from_s = 5\nwithin_s = 7\nafter = \"kick\"") +
			"[[expect]]\nname = \"y\"\n" + held + "within_s = 5\n[[expect]]\nname = \"z\"\n" + held +
			"within_s = 7\nbefore = \"kick\"\n", nil},
		{"times of never", expect("never = { ball_held = {} }\ntimes = { at_least = 2 }"), []string{
			`9:1: expect[0]: times = { at_least = 2 }: needs eventually`}},
		{"times of none", expect(held + "times = {}"), []string{
			`9:1: expect[0]: times = {}: needs at_least or at_most; never says not at all`}},
		{"times of no number", expect(held + "times = { at_least = 3, at_most = 2 }"), []string{
			`9:25: expect[0].times: at_most = 2: must be at least at_least`}},
		{"test", "[test]\nfor_s = 0\n", []string{`7:1: test: for_s = 0: must lie in (0, 1000000]`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("w.toml", []byte(minimal+"field = \"msl-18x12\"\n"+robot+c.text))
			got := lines(err)
			if len(got) != len(c.want) {
				t.Fatalf("got %d errors:\n%s", len(got), strings.Join(got, "\n"))
			}
			for i, want := range c.want {
				if want = fmt.Sprintf("w.toml:%s", want); !strings.HasPrefix(got[i], want) {
					t.Errorf("got  %s\nwant %s", got[i], want)
				}
			}
		})
	}
}

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
		if got := strings.Join(lines(w.Locate(w.Validate())), "\n"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.level, got, c.want)
		}
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
