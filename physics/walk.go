package physics

// Walk is how a robot with legs walks. At drive levels walk and joints, its legs follow the commanded
// velocity.
type Walk struct {
	Frequency     float64 `toml:"frequency_hz" range:"[0.3, 5]" doc:"double steps per second, which is the frequency of the lateral sway"`
	DoubleSupport float64 `toml:"double_support" range:"[0, 0.8]" doc:"share of each step during which both feet are on the floor"`
	FootRise      float64 `toml:"foot_rise_m" range:"[0.001, 0.5]" doc:"height to which a step lifts the sole"`
	FootDistance  float64 `toml:"foot_distance_m" range:"[0, 1]" doc:"distance from sole to sole, middle to middle; 0: that of the start"`
	Crouch        float64 `toml:"crouch_m" range:"[-0.5, 0.5]" doc:"by how much the trunk is lower during walking than at the start"`
	TrunkPitch    float64 `toml:"trunk_pitch_deg" range:"[-45, 45]" doc:"how far the trunk leans forward"`
	TrunkForward  float64 `toml:"trunk_forward_m" range:"[-0.3, 0.3]" doc:"by how much the centre of mass is ahead of the middle of the soles"`
	Swing         float64 `toml:"lateral_swing" range:"[0, 3]" doc:"lateral sway of the trunk, as a multiple of that of the linear inverted pendulum"`
	MaxBackward   float64 `toml:"max_backward_m_s" range:"[0, 20]" doc:"speed limit backward; 0: that of the drive, max_speed_m_s"`
	MaxSideways   float64 `toml:"max_sideways_m_s" range:"[0, 20]" doc:"speed limit sideways; 0: that of the drive, max_speed_m_s"`

	AnkleP    float64 `toml:"ankle_p" range:"[0, 10]" doc:"by how much the ankles of supporting legs turn against a tilt of the trunk, rad/rad"`
	AnkleD    float64 `toml:"ankle_d_s" range:"[0, 10]" doc:"likewise against a rate of the trunk, in rad per rad/s"`
	StepGain  float64 `toml:"step_gain" range:"[0, 5]" doc:"by how much the next step lands farther in the direction of a tilt, as a multiple of the change of the capture point"`
	TiltNoise float64 `toml:"tilt_noise_deg" range:"[0, 20]" doc:"standard deviation of the noise of roll and pitch that the robot measures of its trunk"`
	RateNoise float64 `toml:"rate_noise_deg_s" range:"[0, 100]" doc:"likewise of the rates of roll and pitch"`

	Errors WalkErrors `toml:"errors" doc:"errors of the velocity, at level walk"`
	Sway   Sway       `toml:"sway" doc:"sway of the trunk, at level walk"`
	Fall   Fall       `toml:"fall" doc:"falls, at level walk"`
}

// SetDefaults sets a slow walk. All numbers are guesses, with which robots of 0.8 m and 1.5 m walk.
func (w *Walk) SetDefaults() {
	w.Frequency, w.DoubleSupport, w.FootRise = 1.7, 0.2, 0.03
	w.Swing = 1
	w.AnkleP, w.AnkleD, w.StepGain = 0.3, 0.03, 0.1
	w.Errors.SetDefaults()
	w.Sway.SetDefaults()
	w.Fall.SetDefaults()
}
