// SPDX-License-Identifier: MIT
/*
 * Lines of nouveau about the display and its outputs. PFIFO's channels have no part in
 * them, and each is named as outside of the scope. The table comes after all others.
 */
#include "nvfifo_explain_line.h"

#define SCOPE	"Outside of this tool's scope: "
#define CHANNEL	SCOPE "the display's own channel (EVO) did not answer in 2 s. It is none of PFIFO's channels, which may be fine; look for errors of the display, power or the link before it."
#define OUTPUT	SCOPE "an output of the display, its cable or its monitor. PFIFO's channels are not involved."
#define NO_HEAD	SCOPE "the display. PFIFO's channels may be fine without it."

#define MESSAGE(anchor, also, meaning, advice) \
	{ "display_error", "nouveau", anchor, also, nvfifo_explain_message, NULL, 0, meaning, advice }
#define WAIT(function, meaning, advice) \
	{ "display_error", "nouveau", "WARNING:", function, nvfifo_explain_warning, NULL, 0, meaning, advice }

const struct explain_line nvfifo_explain_display_lines[] = {
	WAIT("nv50_disp_", "the display did not answer in 2 s", CHANNEL),
	WAIT("nv50_dmac_wait", "the display's channel did not accept its commands in 2 s", CHANNEL),
	WAIT("nv50_dmac_kick", "the display's channel did not accept its commands in 2 s", CHANNEL),
	WAIT("nv50_sor_", "an output of the display did not answer in time", OUTPUT),
	WAIT("nv50_dac_", "an output of the display did not answer in time", OUTPUT),
	WAIT("nv50_pior_", "an output of the display did not answer in time", OUTPUT),
	WAIT("g94_sor_", "an output of the display did not answer in time", OUTPUT),
	WAIT("gt215_sor_", "an output of the display did not answer in time", OUTPUT),
	WAIT("nouveau/dispnv50/", "the display met something that nouveau does not expect", NO_HEAD),
	WAIT("nouveau/nvkm/engine/disp/", "the display met something that nouveau does not expect", NO_HEAD),

	MESSAGE("core notifier timeout", "nouveau", "EVO's core channel did not answer", CHANNEL),
	MESSAGE("core caps notifier timeout", "nouveau", "EVO's core channel did not answer", CHANNEL),
	MESSAGE(": base-", ": timeout", "EVO's base channel, the picture of a head, did not answer", CHANNEL),
	MESSAGE(": ovly-", ": timeout", "EVO's overlay channel did not answer", CHANNEL),
	MESSAGE(": curs-", ": timeout", "EVO's cursor channel did not answer", CHANNEL),
	MESSAGE(": wndw-", ": timeout", "EVO's window channel did not answer", CHANNEL),
	MESSAGE("nv50_dmac_wait", "nouveau", "the display's channel did not accept its commands", CHANNEL),
	MESSAGE("EVO timeout", "nouveau", "the display's channel did not answer", CHANNEL),
	MESSAGE("supervisor ", "disp: ", "the display's interrupt for a change of mode", NO_HEAD),
	MESSAGE("disp: outp ", "nouveau", "an output of the display", OUTPUT),
	MESSAGE("disp: core ", "nouveau", "EVO's core channel did not start or stop", CHANNEL),
	MESSAGE("disp: ch ", "timeout", "a channel of the display did not start or stop", CHANNEL),
	MESSAGE("disp: ", "nouveau", "the display, its outputs or the VBIOS's tables about them", NO_HEAD),

	MESSAGE("No supported base class", "nouveau", "nouveau has no code for the display's channel", NO_HEAD),
	MESSAGE("No supported core channel", "nouveau", "nouveau has no code for the display's channel", NO_HEAD),
	MESSAGE("No supported cursor", "nouveau", "nouveau has no code for the display's channel", NO_HEAD),
	MESSAGE("No supported overlay", "nouveau", "nouveau has no code for the display's channel", NO_HEAD),
	MESSAGE("No supported window", "nouveau", "nouveau has no code for the display's channel", NO_HEAD),
	MESSAGE("drm: base", " allocation failed", "a channel of the display could not be created", NO_HEAD),
	MESSAGE("drm: core", " allocation failed", "a channel of the display could not be created", NO_HEAD),
	MESSAGE("drm: curs", " allocation failed", "a channel of the display could not be created", NO_HEAD),
	MESSAGE("drm: oimm", " allocation failed", "a channel of the display could not be created", NO_HEAD),
	MESSAGE("drm: ovly", " allocation failed", "a channel of the display could not be created", NO_HEAD),
	MESSAGE("flip_done timed out", "", "a picture was not shown in 10 s", NO_HEAD),
	MESSAGE("hw_done timed out", "", "a change of the display did not end in 10 s", NO_HEAD),
	MESSAGE("vblank wait timed out", "", "a head raised no interrupt at the end of a picture", NO_HEAD),
	MESSAGE("CRC context", "nouveau", "checksums of the picture, which a test program asked for", NO_HEAD),
	MESSAGE("CRC notifier", "nouveau", "checksums of the picture, which a test program asked for", NO_HEAD),
	MESSAGE("SCDC_TMDS_CONFIG", "nouveau", "a monitor did not answer over HDMI", OUTPUT),
	MESSAGE("able backlight on ", "nouveau", "the light of the panel", OUTPUT),
	MESSAGE("the backlight interface", "nouveau", "the light of the panel", OUTPUT),
	MESSAGE("has no encoders, removing", "nouveau", "a connector without an output", OUTPUT),
	MESSAGE("DDC responded, but no EDID", "nouveau", "a monitor answered without its description", OUTPUT),
	MESSAGE("find encoder to force", "nouveau", "an output that the command line wants does not exist", OUTPUT),
	MESSAGE("unknown connector type", "nouveau", "a connector that nouveau does not know", OUTPUT),
	MESSAGE("Error parsing LVDS table", "nouveau", "the VBIOS's table of the panel is wrong", OUTPUT),
	MESSAGE("ACPI reprobe event", "nouveau", "a plug event came while the card could not wake up", NO_HEAD),
	{ 0 }
};
