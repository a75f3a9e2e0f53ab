package simtest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// BoosterDrive are the numbers with which Booster's T1 walks at drive level joints, found by trials. They are the keys
// of a robot's table drive, apart from level.
const BoosterDrive = `max_speed_m_s = 0.35, max_omega_deg_s = 45, max_accel_m_s2 = 0.5, max_alpha_deg_s2 = 180, ` +
	`walk = { frequency_hz = 2.4, double_support = 0.19, foot_rise_m = 0.03, foot_distance_m = 0.209, ` +
	`crouch_m = 0.11, trunk_pitch_deg = -1.6, trunk_forward_m = -0.035, lateral_swing = 1.6, ankle_p = 0.4, ` +
	`ankle_d_s = 0.028, step_gain = 0.17, max_backward_m_s = 0.15, max_sideways_m_s = 0.12, tilt_noise_deg = 0.3, ` +
	`rate_noise_deg_s = 1 }`

// BoosterT1 writes a world and the file of Booster's T1, T1_23dof.xml, without its meshes, into a folder, and returns
// the path of the world's file. The argument root is the path of the module.
func BoosterT1(t testing.TB, root, world string) string {
	t.Helper()
	robot := must.Get(os.ReadFile(filepath.Join(root, "worlds/mjcf/testdata/booster-t1/T1_23dof.xml")))(t)
	robot = regexp.MustCompile(`<(mesh|geom type="mesh") [^>]*/>`).ReplaceAll(robot, nil) // their files are not here
	return filepath.Join(must.Dir(t, map[string]string{"T1_23dof.xml": string(robot), "booster.toml": world}),
		"booster.toml")
}
