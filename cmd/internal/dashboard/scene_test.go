package dashboard

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// posesOf decodes a message of poses.
func posesOf(t *testing.T, data []byte) (world, look, bodies, sensors uint32, time float64, all []spatial.Pose) {
	t.Helper()
	if len(data) < posesHead || (len(data)-posesHead)%28 != 0 {
		t.Fatalf("got a message of %d bytes, want %d and 28 for each pose", len(data), posesHead)
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }
	single := func(i int) float64 { return float64(math.Float32frombits(word(i))) }
	for i := posesHead / 4; 4*i < len(data); i += 7 {
		all = append(all, spatial.Pose{Pos: mgl64.Vec3{single(i), single(i + 1), single(i + 2)},
			Rot: mgl64.Quat{W: single(i + 6), V: mgl64.Vec3{single(i + 3), single(i + 4), single(i + 5)}}})
	}
	return word(0), word(1), word(2), word(3), math.Float64frombits(binary.LittleEndian.Uint64(data[16:])), all
}

// TestSceneAndPoses compares the scene, its shapes and the poses of moving parts with the simulation. A change of light
// must be announced.
func TestSceneAndPoses(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	s.do(`{"pause": {}}`)
	s.do(`{"place": {"name": "ball", "x_m": 2, "y_m": 1}}`)
	scene, scenery := get[sceneJSON](s, "/api/scene"), s.sim.Sensors().Scenery()
	if len(scene.Materials) != len(scenery.Scene.Materials) || scene.Light.Lamp != scenery.Scene.Light.Lamp ||
		len(scene.Moving) == 0 {
		t.Errorf("got scene %+v, want the materials and light of the simulation", scene)
	}

	conn := s.dial("/api/poses")
	var data []byte
	s.read(conn, "poses", func(message []byte) bool { data = message; return true })
	world, look, bodies, sensors, _, all := posesOf(t, data)
	if int(world) != scene.World || look != scene.Look || int(bodies) != len(scene.Moving) ||
		int(sensors) != len(scene.Sensors) || len(all) != int(bodies+sensors) {
		t.Fatalf("got world %d, look %d, %d bodies, %d sensors, %d poses, want those of scene %+v", world, look, bodies,
			sensors, len(all), scene)
	}
	truth := s.truth.Load()
	robot := func(name string) int {
		return slices.IndexFunc(s.sim.World().Robots, func(r worlds.Robot) bool { return r.Name == name })
	}
	near := func(what string, got, want spatial.Pose) {
		t.Helper()
		turned := math.Abs(got.Rot.Normalize().Dot(want.Rot.Normalize()))
		if !(got.Pos.Sub(want.Pos).Len() <= 1e-5) || !(turned >= 1-1e-6) {
			t.Errorf("pose of %s: got %v, want %v", what, got, want)
		}
	}
	for i, name := range scene.Moving {
		switch r := robot(name); {
		case name == "ball":
			if p := all[i].Pos; !(math.Hypot(p[0]-2, p[1]-1) <= 1e-5) {
				t.Errorf("the ball: got %v, want (2, 1)", p)
			}
		case r >= 0:
			near(name, all[i], truth.Robots[r].PoseWB)
		}
	}
	for i, v := range scene.Sensors {
		c, ok := s.sim.Sensors().Camera(v.Robot, v.Sensor)
		if !ok {
			t.Fatalf("%s.%s is no camera", v.Robot, v.Sensor)
		}
		near(v.Robot+"."+v.Sensor, all[int(bodies)+i], truth.Robots[robot(v.Robot)].PoseWB.Mul(c.PoseBC()))
		for _, d := range v.Outline {
			if !(math.Abs(mgl64.Vec3(d).Len()-1) <= 1e-3) {
				t.Errorf("%s.%s: got direction %v, want a unit vector", v.Robot, v.Sensor, d)
			}
		}
		if v.FOV > 0 { // the ray through the middle of the upper edge is half the field of view above the axis
			tan := math.Tan(v.FOV / 2 * spatial.Degree)
			if _, pixel, ok := c.Model().Project(mgl64.Vec3{0, -tan, 1}); !ok || !(math.Abs(pixel+0.5) <= 0.5) {
				t.Errorf("%s.%s: half of %v° above its axis: got row %v, want -0.5", v.Robot, v.Sensor, v.FOV, pixel)
			}
		}
	}

	// The file is a glTF, compressed for clients that accept compression, and the same for all.
	ask := func(encoding string) (http.Header, []byte) {
		status, h, body := s.send("GET", "/api/scene.glb", "", header("Accept-Encoding", encoding))
		if status != http.StatusOK || h.Get("Content-Type") != "model/gltf-binary" {
			t.Fatal(status, h)
		}
		return h, body
	}
	_, plain := ask("identity")
	h, packed := ask("gzip")
	if string(plain[:4]) != "glTF" || int(binary.LittleEndian.Uint32(plain[8:])) != len(plain) ||
		h.Get("Content-Encoding") != "gzip" || len(packed) > len(plain)/2 {
		t.Errorf("%d bytes, packed %d, %v", len(plain), len(packed), h)
	}

	// Paint and light are announced: the next message increments the change count, and the scene has the new value.
	s.do(`{"set_ball_color": {"color": "#0000ff"}}`)
	s.read(conn, "the change of colours", func(message []byte) bool {
		_, now, _, _, _, _ := posesOf(t, message)
		return now != look
	})
	if painted := get[sceneJSON](s, "/api/scene"); fmt.Sprint(painted.Materials) == fmt.Sprint(scene.Materials) {
		t.Error("the ball has its old colour")
	}
}

// TestAssetsAreSmall checks that all files of the page take at most 2 MB compressed.
func TestAssetsAreSmall(t *testing.T) {
	var sent bytes.Buffer
	z := gzip.NewWriter(&sent)
	must.Do(t, errors.Join(tar.NewWriter(z).AddFS(assets), z.Close()))
	if n := sent.Len(); n == 0 || n > 2_000_000 {
		t.Errorf("the page takes %d bytes, want 2 MB at most", n)
	}
}

// TestThreeIsAsNPMHasIt checks that the only inline script of the page is the import map that the policy names, and
// that three.js equals the npm package.
func TestThreeIsAsNPMHasIt(t *testing.T) {
	read := func(name string) []byte {
		return must.Get(assets.ReadFile("assets/" + name))(t)
	}
	inline := regexp.MustCompile(`(?s)<script(?: type="importmap")?>(.*?)</script>`).FindAllSubmatch(read("index.html"),
		-1)
	if len(inline) != 1 {
		t.Fatalf("got %d inline scripts, want 1", len(inline))
	}
	if sum := sha256.Sum256(inline[0][1]); "sha256-"+base64.StdEncoding.EncodeToString(sum[:]) != importMap {
		t.Errorf("hash of the import map: got %s, want sha256-%s", importMap, base64.StdEncoding.EncodeToString(sum[:]))
	}
	sums := regexp.MustCompile(`(?m)^ {4}([0-9a-f]{64})  (\S+)$`).FindAllStringSubmatch(string(read("three/README.md")),
		-1)
	files, err := assets.ReadDir("assets/three")
	if err != nil || len(sums) != len(files)-1 {
		t.Fatalf("got %d checksums of %d files, %v, want one for each but README.md", len(sums), len(files), err)
	}
	for _, line := range sums {
		if sum := sha256.Sum256(read("three/" + line[2])); hex.EncodeToString(sum[:]) != line[1] {
			t.Errorf("%s differs from the npm package: its checksum is not that of README.md", line[2])
		}
	}
	if !strings.Contains(string(read("three/LICENSE")), "three.js authors") {
		t.Error("the licence is missing")
	}
}
