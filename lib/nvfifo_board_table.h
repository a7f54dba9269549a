/* SPDX-License-Identifier: MIT */
/*
 * Boards of the NV50 family: PCI device ids of NVIDIA, and the names that are sold under them. The
 * ids and names are those of the pci.ids database of 2023-04-11; nvfifo_card_chip() has the chip.
 */
#define NVFIFO_BOARDS(BOARD) \
	BOARD(0x0190, "GeForce 8800 GTS / 8800 GTX") \
	BOARD(0x0191, "GeForce 8800 GTX") \
	BOARD(0x0192, "GeForce 8800 GTS") \
	BOARD(0x0193, "GeForce 8800 GTS") \
	BOARD(0x0194, "GeForce 8800 Ultra") \
	BOARD(0x0197, "Tesla C870") \
	BOARD(0x019d, "Quadro FX 5600") \
	BOARD(0x019e, "Quadro FX 4600") \
	BOARD(0x0400, "GeForce 8600 GTS") \
	BOARD(0x0401, "GeForce 8600 GT") \
	BOARD(0x0402, "GeForce 8600 GT") \
	BOARD(0x0403, "GeForce 8600 GS") \
	BOARD(0x0404, "GeForce 8400 GS") \
	BOARD(0x0405, "GeForce 9500M GS") \
	BOARD(0x0406, "GeForce 8300 GS") \
	BOARD(0x0407, "GeForce 8600M GT") \
	BOARD(0x0408, "GeForce 9650M GS") \
	BOARD(0x0409, "GeForce 8700M GT") \
	BOARD(0x040a, "Quadro FX 370") \
	BOARD(0x040b, "Quadro NVS 320M") \
	BOARD(0x040c, "Quadro FX 570M") \
	BOARD(0x040d, "Quadro FX 1600M") \
	BOARD(0x040e, "Quadro FX 570") \
	BOARD(0x040f, "Quadro FX 1700") \
	BOARD(0x0410, "GeForce GT 330") \
	BOARD(0x0414, "GeForce 9800 GT") \
	BOARD(0x0418, "GeForce GT 330 OEM") \
	BOARD(0x0420, "GeForce 8400 SE") \
	BOARD(0x0421, "GeForce 8500 GT") \
	BOARD(0x0422, "GeForce 8400 GS") \
	BOARD(0x0423, "GeForce 8300 GS") \
	BOARD(0x0424, "GeForce 8400 GS") \
	BOARD(0x0425, "GeForce 8600M GS") \
	BOARD(0x0426, "GeForce 8400M GT") \
	BOARD(0x0427, "GeForce 8400M GS") \
	BOARD(0x0428, "GeForce 8400M G") \
	BOARD(0x0429, "Quadro NVS 140M") \
	BOARD(0x042a, "Quadro NVS 130M") \
	BOARD(0x042b, "Quadro NVS 135M") \
	BOARD(0x042c, "GeForce 9400 GT") \
	BOARD(0x042d, "Quadro FX 360M") \
	BOARD(0x042e, "GeForce 9300M G") \
	BOARD(0x042f, "Quadro NVS 290") \
	BOARD(0x05e0, "GeForce GTX 295") \
	BOARD(0x05e1, "GeForce GTX 280") \
	BOARD(0x05e2, "GeForce GTX 260") \
	BOARD(0x05e3, "GeForce GTX 285") \
	BOARD(0x05e6, "GeForce GTX 275") \
	BOARD(0x05e7, "Tesla C1060 / M1060") \
	BOARD(0x05ea, "GeForce GTX 260") \
	BOARD(0x05eb, "GeForce GTX 295") \
	BOARD(0x05ed, "Quadro Plex 2200 D2") \
	BOARD(0x05f1, "GeForce GTX 280") \
	BOARD(0x05f2, "GeForce GTX 260") \
	BOARD(0x05f8, "Quadro Plex 2200 S4") \
	BOARD(0x05f9, "Quadro CX") \
	BOARD(0x05fd, "Quadro FX 5800") \
	BOARD(0x05fe, "Quadro FX 4800") \
	BOARD(0x05ff, "Quadro FX 3800") \
	BOARD(0x0600, "GeForce 8800 GTS 512") \
	BOARD(0x0601, "GeForce 9800 GT") \
	BOARD(0x0602, "GeForce 8800 GT") \
	BOARD(0x0603, "GeForce GT 230 OEM") \
	BOARD(0x0604, "GeForce 9800 GX2") \
	BOARD(0x0605, "GeForce 9800 GT") \
	BOARD(0x0606, "GeForce 8800 GS") \
	BOARD(0x0607, "GeForce GTS 240") \
	BOARD(0x0608, "GeForce 9800M GTX") \
	BOARD(0x0609, "GeForce 8800M GTS") \
	BOARD(0x060a, "GeForce GTX 280M") \
	BOARD(0x060b, "GeForce 9800M GT") \
	BOARD(0x060c, "GeForce 8800M GTX") \
	BOARD(0x060d, "GeForce 8800 GS") \
	BOARD(0x060f, "GeForce GTX 285M") \
	BOARD(0x0610, "GeForce 9600 GSO") \
	BOARD(0x0611, "GeForce 8800 GT") \
	BOARD(0x0612, "GeForce 9800 GTX / 9800 GTX+") \
	BOARD(0x0613, "GeForce 9800 GTX+") \
	BOARD(0x0614, "GeForce 9800 GT") \
	BOARD(0x0615, "GeForce GTS 250") \
	BOARD(0x0617, "GeForce 9800M GTX") \
	BOARD(0x0618, "GeForce GTX 260M") \
	BOARD(0x0619, "Quadro FX 4700 X2") \
	BOARD(0x061a, "Quadro FX 3700") \
	BOARD(0x061b, "Quadro VX 200") \
	BOARD(0x061c, "Quadro FX 3600M") \
	BOARD(0x061d, "Quadro FX 2800M") \
	BOARD(0x061e, "Quadro FX 3700M") \
	BOARD(0x061f, "Quadro FX 3800M") \
	BOARD(0x0620, "GeForce 9800 GT") \
	BOARD(0x0621, "GeForce GT 230") \
	BOARD(0x0622, "GeForce 9600 GT") \
	BOARD(0x0623, "GeForce 9600 GS") \
	BOARD(0x0624, "GeForce 9600 GT Green Edition") \
	BOARD(0x0625, "GeForce 9600 GSO 512") \
	BOARD(0x0626, "GeForce GT 130") \
	BOARD(0x0627, "GeForce GT 140") \
	BOARD(0x0628, "GeForce 9800M GTS") \
	BOARD(0x062a, "GeForce 9700M GTS") \
	BOARD(0x062b, "GeForce 9800M GS") \
	BOARD(0x062c, "GeForce 9800M GTS") \
	BOARD(0x062d, "GeForce 9600 GT") \
	BOARD(0x062e, "GeForce 9600 GT") \
	BOARD(0x062f, "GeForce 9800 S") \
	BOARD(0x0630, "GeForce 9600 GT") \
	BOARD(0x0631, "GeForce GTS 160M") \
	BOARD(0x0632, "GeForce GTS 150M") \
	BOARD(0x0633, "GeForce GT 220") \
	BOARD(0x0635, "GeForce 9600 GSO") \
	BOARD(0x0637, "GeForce 9600 GT") \
	BOARD(0x0638, "Quadro FX 1800") \
	BOARD(0x063a, "Quadro FX 2700M") \
	BOARD(0x063f, "GeForce 9600 GE") \
	BOARD(0x0640, "GeForce 9500 GT") \
	BOARD(0x0641, "GeForce 9400 GT") \
	BOARD(0x0642, "D9M-10") \
	BOARD(0x0643, "GeForce 9500 GT") \
	BOARD(0x0644, "GeForce 9500 GS") \
	BOARD(0x0645, "GeForce 9500 GS") \
	BOARD(0x0646, "GeForce GT 120") \
	BOARD(0x0647, "GeForce 9600M GT") \
	BOARD(0x0648, "GeForce 9600M GS") \
	BOARD(0x0649, "GeForce 9600M GT") \
	BOARD(0x064a, "GeForce 9700M GT") \
	BOARD(0x064b, "GeForce 9500M G") \
	BOARD(0x064c, "GeForce 9650M GT") \
	BOARD(0x064e, "GeForce 9600 GSO / 9800 GT") \
	BOARD(0x0651, "GeForce G 110M") \
	BOARD(0x0652, "GeForce GT 130M") \
	BOARD(0x0653, "GeForce GT 120M") \
	BOARD(0x0654, "GeForce GT 220M") \
	BOARD(0x0655, "GeForce GT 120 Mac Edition") \
	BOARD(0x0656, "GeForce GT 120 Mac Edition") \
	BOARD(0x0658, "Quadro FX 380") \
	BOARD(0x0659, "Quadro FX 580") \
	BOARD(0x065a, "Quadro FX 1700M") \
	BOARD(0x065b, "GeForce 9400 GT") \
	BOARD(0x065c, "Quadro FX 770M") \
	BOARD(0x065d, "GeForce 9500 GA / 9600 GT / GTS 250") \
	BOARD(0x065f, "GeForce G210") \
	BOARD(0x06e0, "GeForce 9300 GE") \
	BOARD(0x06e1, "GeForce 9300 GS") \
	BOARD(0x06e2, "GeForce 8400") \
	BOARD(0x06e3, "GeForce 8300 GS") \
	BOARD(0x06e4, "GeForce 8400 GS Rev. 2") \
	BOARD(0x06e5, "GeForce 9300M GS") \
	BOARD(0x06e6, "GeForce G 100") \
	BOARD(0x06e7, "GeForce 9300 SE") \
	BOARD(0x06e8, "GeForce 9200M GS") \
	BOARD(0x06e9, "GeForce 9300M GS") \
	BOARD(0x06ea, "Quadro NVS 150M") \
	BOARD(0x06eb, "Quadro NVS 160M") \
	BOARD(0x06ec, "GeForce G 105M") \
	BOARD(0x06ed, "GeForce 9600 GT / 9800 GT") \
	BOARD(0x06ee, "GeForce 9600 GT / 9800 GT / GT 240") \
	BOARD(0x06ef, "GeForce G 103M") \
	BOARD(0x06f1, "GeForce G 105M") \
	BOARD(0x06f8, "Quadro NVS 420") \
	BOARD(0x06f9, "Quadro FX 370 LP") \
	BOARD(0x06fa, "Quadro NVS 450") \
	BOARD(0x06fb, "Quadro FX 370M") \
	BOARD(0x06fd, "Quadro NVS 295") \
	BOARD(0x06ff, "HICx16 + Graphics") \
	BOARD(0x0840, "GeForce 8200M") \
	BOARD(0x0844, "GeForce 9100M G") \
	BOARD(0x0845, "GeForce 8200M G") \
	BOARD(0x0846, "GeForce 9200") \
	BOARD(0x0847, "GeForce 9100") \
	BOARD(0x0848, "GeForce 8300") \
	BOARD(0x0849, "GeForce 8200") \
	BOARD(0x084a, "nForce 730a") \
	BOARD(0x084b, "GeForce 8200") \
	BOARD(0x084c, "nForce 780a/980a SLI") \
	BOARD(0x084d, "nForce 750a SLI") \
	BOARD(0x084f, "GeForce 8100 / nForce 720a") \
	BOARD(0x0860, "GeForce 9300") \
	BOARD(0x0861, "GeForce 9400") \
	BOARD(0x0862, "GeForce 9400M G") \
	BOARD(0x0863, "GeForce 9400M") \
	BOARD(0x0864, "GeForce 9300") \
	BOARD(0x0865, "GeForce 9300 / ION") \
	BOARD(0x0866, "GeForce 9400M G") \
	BOARD(0x0867, "GeForce 9400") \
	BOARD(0x0868, "nForce 760i SLI") \
	BOARD(0x0869, "GeForce 9400") \
	BOARD(0x086a, "GeForce 9400") \
	BOARD(0x086c, "GeForce 9300 / nForce 730i") \
	BOARD(0x086d, "GeForce 9200") \
	BOARD(0x086e, "GeForce 9100M G") \
	BOARD(0x086f, "GeForce 8200M G") \
	BOARD(0x0870, "GeForce 9400M") \
	BOARD(0x0871, "GeForce 9200") \
	BOARD(0x0872, "GeForce G102M") \
	BOARD(0x0873, "GeForce G102M") \
	BOARD(0x0874, "ION") \
	BOARD(0x0876, "GeForce 9400M / ION") \
	BOARD(0x087a, "GeForce 9400") \
	BOARD(0x087d, "ION") \
	BOARD(0x087e, "ION LE") \
	BOARD(0x087f, "ION LE") \
	BOARD(0x08a0, "GeForce 320M") \
	BOARD(0x08a2, "GeForce 320M") \
	BOARD(0x08a3, "GeForce 320M") \
	BOARD(0x08a4, "GeForce 320M") \
	BOARD(0x08a5, "GeForce 320M") \
	BOARD(0x0a20, "GeForce GT 220") \
	BOARD(0x0a21, "GeForce GT 330M") \
	BOARD(0x0a22, "GeForce 315") \
	BOARD(0x0a23, "GeForce 210") \
	BOARD(0x0a24, "GeForce 405") \
	BOARD(0x0a26, "GeForce 405") \
	BOARD(0x0a27, "GeForce 405") \
	BOARD(0x0a28, "GeForce GT 230M") \
	BOARD(0x0a29, "GeForce GT 330M") \
	BOARD(0x0a2a, "GeForce GT 230M") \
	BOARD(0x0a2b, "GeForce GT 330M") \
	BOARD(0x0a2c, "NVS 5100M") \
	BOARD(0x0a2d, "GeForce GT 320M") \
	BOARD(0x0a30, "GeForce 505") \
	BOARD(0x0a32, "GeForce GT 415") \
	BOARD(0x0a34, "GeForce GT 240M") \
	BOARD(0x0a35, "GeForce GT 325M") \
	BOARD(0x0a38, "Quadro 400") \
	BOARD(0x0a3c, "Quadro FX 880M") \
	BOARD(0x0a60, "GeForce G210") \
	BOARD(0x0a62, "GeForce 205") \
	BOARD(0x0a63, "GeForce 310") \
	BOARD(0x0a64, "ION") \
	BOARD(0x0a65, "GeForce 210") \
	BOARD(0x0a66, "GeForce 310") \
	BOARD(0x0a67, "GeForce 315") \
	BOARD(0x0a68, "GeForce G 105M") \
	BOARD(0x0a69, "GeForce G 105M") \
	BOARD(0x0a6a, "NVS 2100M") \
	BOARD(0x0a6c, "NVS 3100M") \
	BOARD(0x0a6e, "GeForce 305M") \
	BOARD(0x0a6f, "ION") \
	BOARD(0x0a70, "GeForce 310M") \
	BOARD(0x0a71, "GeForce 305M") \
	BOARD(0x0a72, "GeForce 310M") \
	BOARD(0x0a73, "GeForce 305M") \
	BOARD(0x0a74, "GeForce G210M") \
	BOARD(0x0a75, "GeForce 310M") \
	BOARD(0x0a76, "ION 2") \
	BOARD(0x0a78, "Quadro FX 380 LP") \
	BOARD(0x0a7a, "GeForce 315M") \
	BOARD(0x0a7b, "GeForce 505") \
	BOARD(0x0a7c, "Quadro FX 380M") \
	BOARD(0x0ca0, "GeForce GT 330") \
	BOARD(0x0ca2, "GeForce GT 320") \
	BOARD(0x0ca3, "GeForce GT 240") \
	BOARD(0x0ca4, "GeForce GT 340") \
	BOARD(0x0ca5, "GeForce GT 220") \
	BOARD(0x0ca7, "GeForce GT 330") \
	BOARD(0x0ca8, "GeForce GTS 260M") \
	BOARD(0x0ca9, "GeForce GTS 250M") \
	BOARD(0x0cac, "GeForce GT 220/315") \
	BOARD(0x0caf, "GeForce GT 335M") \
	BOARD(0x0cb0, "GeForce GTS 350M") \
	BOARD(0x0cb1, "GeForce GTS 360M") \
	BOARD(0x0cbc, "Quadro FX 1800M") \
	BOARD(0x10c0, "GeForce 9300 GS Rev. 2") \
	BOARD(0x10c3, "GeForce 8400 GS Rev. 3") \
	BOARD(0x10c5, "GeForce 405") \
	BOARD(0x10d8, "NVS 300")
