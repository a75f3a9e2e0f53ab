package omnipitch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"hash/fnv"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// statefulTypes lists, by package, additional types whose fields key frames contain or need not contain.
// TestKeyFramesHoldEveryField finds the others itself, such as types with a method Exchange.
var statefulTypes = map[string]string{
	".":                  "Sim running ticks",
	"sensors":            "inertialAxis",
	"sensors/pipeline":   "Pipeline instance setup setting delivery shot drawJob",
	"abstraction":        "Vision velocityFilter localiser",
	"render":             "fade Light PointLamp",
	"worlds/coach":       "team",
	"worlds/command":     "playing",
	"worlds/condition":   "place",
	"worlds/expectation": "trial",
	"worlds/game":        "",
	"worlds/match":       "officials",
	"worlds/player":      "Started obstructions",
	"worlds/radio":       "delivery Message",
	"worlds/referee":     "",
	"worlds/scenery":     "",
}

// Reasons why key frames do not contain a field.
const (
	asBuilt   = "is made by the world, and stays"
	memory    = "is memory: what is in it counts for no longer than a step"
	derived   = "follows from the others"
	elsewhere = "is passed by its own Exchange, or by who holds it"
	toOthers  = "belongs to programs and listeners, and stays"
	counts    = "is about this run: counts, wall time"
	wallTime  = "is about wall time"
	content   = "is drawn again, or passed by sensors.Observation"
)

// notInKeyFrames lists the fields that key frames do not contain, by type, with the reasons.
var notInKeyFrames = map[string]map[string]string{
	"Sim": {
		"opts running published sensors": asBuilt, "engine truth": "the bodies' state is given",
		"inputs": "is reported before and after", "listeners": toOthers, "skip": "is over between two steps",
	},
	"running": {"model": asBuilt},
	"ticks":   {"listeners": toOthers},

	"worlds/command.Queue": {"Taken one": memory, "names closed wall onCommand": asBuilt, "yielded": toOthers},
	"worlds/command.slot":  {"playing": elsewhere, "waiting asked": toOthers, "count got response answers": counts},
	"worlds/match.Director": {"sim model affected eventNames around": asBuilt, "happened pending": memory,
		"onEvent onSpeech onVerdict unlisten eachStep": toOthers},
	"worlds/match.event":     {"holds after Event action wakes": asBuilt},
	"worlds/match.walker":    {"obstacle target": asBuilt},
	"worlds/match.officials": {"onDecision": toOthers},

	"abstraction.Vision": {"cfg ranging errors fused": asBuilt, "targets found pixels": memory},
	"render.FadingLight": {"Lighting": "its numbers are listed; names, and whether there are shadows, stay"},
	"render.Light":       {"Shadowless Flicker": asBuilt},
	"sensors.Camera": {"device model prepared fov drawn cubeFace poseSC poseBC hidden exposure samples chip keepsAbove " +
		"chips fixed limited measured metered occlusion right": asBuilt, "bodies": memory},
	"sensors.Head": {"cfg model pitch poseBM": asBuilt, "poseBC": derived},
	"sensors.Observation": {"Robot Sensor release": asBuilt, "Fault Frame Stamp PoseBC": "is passed by the pipeline",
		"Settings": "is passed by the pipeline, or as built", "Color Right Depth Truth": content,
		"Overlay": "is for who looks on", "memory chip rightChip": memory, "refs": "holders are counted anew"},

	"sensors.arms": {"device": asBuilt}, "sensors.battery": {"device": asBuilt},
	"sensors.bumper":        {"device step": asBuilt},
	"sensors.feet":          {"device feet first scale": asBuilt},
	"sensors.jointEncoders": {"device model robot perUnit zero": asBuilt},
	"sensors.compass":       {"device keep step": asBuilt}, "sensors.device": {"cfg noise": asBuilt, "poseBS": derived},
	"sensors.imu":          {"device flicker": asBuilt, "turnBS": derived},
	"sensors.inertialAxis": {"flicker walk white": asBuilt},
	"sensors.laser":        {"device beams boards share spec": asBuilt, "solid light": memory},
	"sensors.lidar": {"device spec body caster alongC besideC bearings turnSC castAll readAll": asBuilt,
		"sectors columns echoes returned level frame": memory},
	"sensors.microphone": {"device poseBS room": asBuilt, "pressure": memory},
	"sensors.odometry":   {"device scale wheels": asBuilt}, "sensors.own": {"device": asBuilt},
	"sensors.odometryDrift":  {"perRate wheels": asBuilt},
	"sensors.legReckoner":    {"encoder feet robot zero": asBuilt, "measured": memory},
	"sensors.stepOdometry":   {"device drift model rate scale": asBuilt},
	"sensors.visualOdometry": {"device scale": asBuilt},
	"sensors.sonar":          {"device boards raysS": asBuilt, "alongW solid": memory},

	"sensors/pipeline.Pipeline": {"closed onLevel onFault": toOthers, "measured": wallTime, "saved": memory,
		"meter sweep": asBuilt,
		"touched":     "frames get what is restored", "order ordered work": memory},
	"sensors/pipeline.instance": {
		"number robot robotName name kindTag needsEnv model plugged whole jitter": asBuilt,
		"setup": "is set to what frames get", "due frozen": derived,
		"late latency delivered spent took": counts, "env at images deliveries exposures": memory,
		"eye": "is made when it is needed, always alike", "perceiving": "nothing is",
	},
	"sensors/pipeline.delivery": {"images exposure task view views": content, "watch": "belongs to a farm",
		"offSchedule perceived overlaid": "is not, once it is restored", "done cost": wallTime},
	"sensors/pipeline.drawJob": {"left done": wallTime, "of": "is a whole"},

	"worlds/condition.deviation": {"topic": asBuilt},
	"worlds/expectation.Judge":   {"notify state": asBuilt},
	"worlds/expectation.trial":   {"Expectation asks before holds least most now": asBuilt},
	"worlds/game.Game":           {"field radius": asBuilt},
	"worlds/game.Roster":         {"model parking repair doubleYellow": asBuilt},
	"worlds/radio.Network":       {"seed": asBuilt},
	"worlds/radio.delivery":      {"Message": "its fields are passed"},
	"worlds/radio.station":       {"Station item mates": asBuilt, "Report largest heard delay": counts},
	"worlds/scenery.Scenery":     {"begun first hidden links obstacles people physics props robots shaped still": asBuilt},

	"worlds/referee.Referee": {"rules": asBuilt, "decisions orders near one": memory},
	"worlds/referee.match": {"rules book model": asBuilt,
		"now standings removed inSet inPlay cameIn touching": memory},
	"worlds/referee.crowd":       {"allowed": asBuilt},
	"worlds/referee.ballCovered": {"by keepers": asBuilt},

	"worlds/player.ballPlayer": {"hold": asBuilt}, "worlds/player.chaser": {"ChaseBall shoots to wants": asBuilt},
	"worlds/player.drive":        {"Drive": asBuilt},
	"worlds/player.driver":       {"model robot sideways speed accel omega alpha": asBuilt, "aim": memory},
	"worlds/player.fugitive":     {"Flee half": asBuilt},
	"worlds/player.herder":       {"Herd to": asBuilt, "herds free": memory},
	"worlds/player.keeper":       {"Keeper goal half least reach side width": asBuilt},
	"worlds/player.marker":       {"Mark goal marked": asBuilt},
	"worlds/player.obstructions": {"model robot own posts lines": asBuilt, "ball discs sector room carries": memory},
	"worlds/player.passer":       {"PassBetween": asBuilt},
	"worlds/player.route":        {"Way next": asBuilt},
}

// keyFrameFormats holds, for each version of key frames, a hash of the functions that write it. A new kind of sensor
// changes the hash, but old key frames can still be read: replace the hash of the present version.
var keyFrameFormats = map[int]uint64{1: 0xf27c92334cfff719, 2: 0x23947cf685d66fed, 3: 0x7e2987751ec10065,
	4: 0xb66726481da402b6, 5: 0xf816241a36157192, 6: 0x5abddabbe112cfd4, 7: 0x32d9d23e4db7cde5, 8: 0xba1b526cc5e38144,
	9: 0x2f4b067e510aa1b9, 10: 0xf8130bbc30ffd9c2, 11: 0x53c8b09b6f20e4cd,
	12: 0xfb4a1465064a280f, 13: 0x13c27cc950528576, 14: 0x2de2bda1fa03f129,
	15: 0xa9ce0618638c5a99,
	16: 0xb7108574a7457340, 17: 0x22a4b01fdc8757dd}

// source is the parsed source of a package.
type source struct {
	fset    *token.FileSet
	structs map[string]*ast.StructType
	methods map[string][]*ast.FuncDecl // by type of the receiver; "": functions
}

func parsePackage(t *testing.T, dir string) *source {
	t.Helper()
	s := &source{token.NewFileSet(), map[string]*ast.StructType{}, map[string][]*ast.FuncDecl{}}
	packages := must.Get(parser.ParseDir(s.fset, dir, func(f fs.FileInfo) bool {
		return !strings.HasSuffix(f.Name(),
			"_test.go")
	}, parser.SkipObjectResolution))(t)
	for _, p := range packages {
		for _, name := range slices.Sorted(maps.Keys(p.Files)) {
			for _, d := range p.Files[name].Decls {
				switch d := d.(type) {
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						if typ, ok := spec.(*ast.TypeSpec); ok {
							if body, ok := typ.Type.(*ast.StructType); ok {
								s.structs[typ.Name.Name] = body
							}
						}
					}
				case *ast.FuncDecl:
					of := ""
					if d.Recv != nil {
						of = typeName(d.Recv.List[0].Type)
					}
					s.methods[of] = append(s.methods[of], d)
				}
			}
		}
	}
	return s
}

// typeName returns the last identifier of a type.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// exchanges reports whether a function has a codec as parameter and passes something to it.
func exchanges(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool { return typeName(p.Type) == "Codec" })
}

// passed returns the names of all fields that functions pass to a codec.
func passed(functions []*ast.FuncDecl) map[string]bool {
	all := map[string]bool{}
	for _, f := range functions {
		if !exchanges(f) {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok {
				all[x.Sel.Name] = true
			}
			return true
		})
	}
	return all
}

// fieldNames returns the names of a struct's fields. The name of an embedded field is that of its type.
func fieldNames(s *ast.StructType) (names []string) {
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 {
			names = append(names, typeName(f.Type))
		}
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// stateful returns the types of a package that have or may have a state: types with Exchange, sensors, and players.
func (s *source) stateful(more string) []string {
	names := strings.Fields(more)
	for name, body := range s.structs {
		has := slices.ContainsFunc(s.methods[name], func(f *ast.FuncDecl) bool { return f.Name.Name == "Exchange" })
		fields := fieldNames(body)
		if has || slices.ContainsFunc([]string{"device", "driver", "ballPlayer", "route"},
			func(base string) bool { return slices.Contains(fields, base) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Each field of a type with a state is passed to a codec, or is listed in notInKeyFrames with a reason.
func TestKeyFramesHoldEveryField(t *testing.T) {
	format, types := fnv.New64a(), map[string]bool{}
	for _, dir := range slices.Sorted(maps.Keys(statefulTypes)) {
		s := parsePackage(t, dir)
		var all []*ast.FuncDecl
		for _, of := range slices.Sorted(maps.Keys(s.methods)) {
			all = append(all, s.methods[of]...)
		}
		for _, f := range all {
			if exchanges(f) {
				f.Doc = nil
				// With an empty file set, the output does not depend on line breaks in the source.
				must.Do(t, printer.Fprint(format, token.NewFileSet(), f))
			}
		}
		for _, name := range s.stateful(statefulTypes[dir]) {
			body, full := s.structs[name], strings.TrimPrefix(dir+"."+name, "..")
			if types[full] = true; body == nil {
				t.Errorf("there is no struct %s", full)
				continue
			}
			kept := passed(s.methods[name])
			// functions of other types pass its fields
			if len(kept) == 0 && !slices.Contains(fieldNames(body), "device") {
				kept = passed(all)
			}
			listed := map[string]bool{}
			for fields, why := range notInKeyFrames[full] {
				for _, f := range strings.Fields(fields) {
					if listed[f] = true; why == "" || !slices.Contains(fieldNames(body), f) {
						t.Errorf("%s.%s is listed without a reason, or is no field", full, f)
					}
				}
			}
			for _, f := range fieldNames(body) {
				switch {
				case f == "_" || kept[f] != listed[f]:
				case kept[f]:
					t.Errorf("%s.%s is in key frames, and listed as if it were not", full, f)
				default:
					t.Errorf("%s.%s: neither passed to codecs nor listed in notInKeyFrames, with why key frames do "+
						"without", full, f)
				}
			}
		}
	}
	for name := range notInKeyFrames {
		if !types[name] {
			t.Errorf("%s is listed, and has no state", name)
		}
	}
	for _, x := range plainData() {
		describe(format, reflect.TypeOf(x))
	}
	if got := format.Sum64(); keyFrameFormats[keyframe.Version] != got {
		t.Errorf("the format of key frames has changed. If old ones can still be read, as after a new kind of sensor, set "+
			"keyFrameFormats[%d] = %#x; otherwise raise keyframe.Version, and add this hash under the new number",
			keyframe.Version, got)
	}
}

// plainData returns the types that are passed to codecs as a whole.
func plainData() []any {
	all := []any{
		abstraction.FeatureList{}, abstraction.ObjectList{}, physics.Command{}, physics.ExtendUp, spatial.Pose{},
		sensors.HeadCommand{},
		game.State{}, game.Shots{},
		condition.Value{}, condition.Occurrences{}, coach.Word{}, coach.Info{}, player.Choice{},
		player.Follow{}, player.Drive{},
	}
	for _, kind := range sensors.Kinds() {
		all = append(all, kind.Reading())
	}
	return all
}

// describe writes a type with the types of all its parts.
func describe(into interface{ Write([]byte) (int, error) }, of reflect.Type) {
	if of == nil {
		return
	}
	fmt.Fprint(into, of.Kind(), " ")
	switch of.Kind() {
	case reflect.Struct:
		for i := range of.NumField() {
			describe(into, of.Field(i).Type)
		}
	case reflect.Array:
		fmt.Fprint(into, of.Len(), " ")
		describe(into, of.Elem())
	case reflect.Slice, reflect.Pointer:
		describe(into, of.Elem())
	}
}
