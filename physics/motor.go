package physics

// Motor is a brushed or block-commutated motor with gear, amplifier and speed controller; each wheel has one. If u is
// the voltage, w the wheel's rate and n the gear ratio, then
//
//	current  i = (u − k·n·w)/R            within ±max_current_a
//	torque   τ = η·n·k·i − n·k·i0·sgn(w)  at the wheel
//	inertia  J = J_wheel + n²·J_rotor
//	voltage  u = f·k·n·w* + kp·(w* − w) + ki·∫(w* − w) − kd·dw/dt   within what the battery gives
//
// where w* is the rate that the robot's velocity controller asks for. The integral is frozen while a limit is reached.
type Motor struct {
	Torque     float64 `toml:"torque_constant_nm_a" required:"true" range:"(0, 10]" doc:"torque constant, which equals the back-EMF constant in V s/rad"`
	Resistance float64 `toml:"resistance_ohm" required:"true" range:"(0, 100]" doc:"resistance of winding and amplifier"`
	NoLoad     float64 `toml:"no_load_current_a" range:"[0, 20]" doc:"current that friction takes"`
	Rotor      float64 `toml:"rotor_inertia_kg_m2" range:"[0, 0.1]"`
	MaxCurrent float64 `toml:"max_current_a" required:"true" range:"(0, 500]" doc:"current limit of the amplifier"`
	Gear       float64 `toml:"gear" required:"true" range:"[0.1, 1000]" doc:"turns of the motor per turn of the wheel"`
	Efficiency float64 `toml:"efficiency" range:"(0, 1]" doc:"efficiency of the gear"`
	Wheel      float64 `toml:"wheel_inertia_kg_m2" range:"[0, 1]" doc:"moment of inertia of the wheel about its axle, at level wheels"`
	P          float64 `toml:"p" range:"[0, 10000]" doc:"proportional gain of the controller, V for each rad/s of the wheel"`
	I          float64 `toml:"i" range:"[0, 1000000]" doc:"integral gain, V for each rad of the wheel"`
	D          float64 `toml:"d" range:"[0, 100]" doc:"derivative gain, V for each rad/s² of the wheel"`
	Forward    float64 `toml:"feed_forward" range:"[0, 2]" doc:"share of the back-EMF at the wanted rate that is fed forward"`
}

// SetDefaults sets the optional keys.
func (m *Motor) SetDefaults() {
	m.Efficiency = 1
	m.P, m.I = 3, 60 // measured: fastest ramp response without overshoot on a robot of 31 kg
	m.Forward = 1
}

// Battery feeds all motors of a robot; its voltage falls with their current.
type Battery struct {
	Voltage    float64 `toml:"voltage_v" range:"(0, 1000]" doc:"open-circuit voltage"`
	Resistance float64 `toml:"resistance_ohm" range:"[0, 10]" doc:"resistance of cells and cables, by which the voltage sags"`
}

// SetDefaults sets a nominal supply without internal resistance.
func (b *Battery) SetDefaults() { b.Voltage = 24 }
